# A client of Net::HTTP. Its second argument says by what it waits.
# What a client does: see clients/main.rs.
require 'net/http'
require 'time'

BASE = URI(ARGV[0])
MUTEX = Mutex.new
CONDITION = ConditionVariable.new
WAYS = {
  'sleep' => ->(seconds) { sleep(seconds) },
  'condition' => ->(seconds) { MUTEX.synchronize { CONDITION.wait(MUTEX, seconds) } },
}.freeze
WAIT = WAYS.fetch(ARGV[1])

def told_wait(value)
  return Integer(value) if value.match?(/\A\d+\z/)

  [Time.httpdate(value) - Time.now, 0].max
end

def get(path)
  loop do
    http = Net::HTTP.new(BASE.host, BASE.port)
    http.read_timeout = 30
    http.max_retries = 0
    reply = http.start { |started| started.get(path) }
    return reply.body if reply.code == '200'

    WAIT.call(told_wait(reply['Retry-After']))
  end
end

get('/date')
get('/wait')
begin
  get('/silent')
  abort('an answer from the silent')
rescue Net::ReadTimeout
  # As it must be.
end
%w[/delay /parts /end].each { |path| abort(path) unless get(path) == 'done' }
