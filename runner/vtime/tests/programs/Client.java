import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A client of java.net. Its second argument says by what it asks, its third by what it waits. What
 * a client does: see clients/main.rs.
 */
public class Client {
    record Reply(int status, String told, String body) {}

    interface Asks {
        Reply ask(String url) throws Exception;
    }

    interface Waits {
        void wait(Duration span) throws Exception;
    }

    static final Duration LIMIT = Duration.ofSeconds(30);

    static Asks byClient() {
        HttpClient client = HttpClient.newHttpClient();
        return url -> {
            var request = HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build();
            var reply = client.send(request, BodyHandlers.ofString());
            String told = reply.headers().firstValue("Retry-After").orElse(null);
            return new Reply(reply.statusCode(), told, reply.body());
        };
    }

    static Asks byConnection() {
        return url -> {
            var connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
            connection.setReadTimeout((int) LIMIT.toMillis());
            int status = connection.getResponseCode();
            try (InputStream stream =
                    status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                String body = new String(stream.readAllBytes());
                return new Reply(status, connection.getHeaderField("Retry-After"), body);
            }
        };
    }

    static Waits bySchedule() {
        var executor = Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
        });
        return span -> executor.schedule(() -> {}, span.toNanos(), TimeUnit.NANOSECONDS).get();
    }

    static Duration toldWait(String value) {
        if (value.matches("\\d+")) {
            return Duration.ofSeconds(Long.parseLong(value));
        }
        var date = ZonedDateTime.parse(value, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
        var span = Duration.between(Instant.now(), date);
        return span.isNegative() ? Duration.ZERO : span;
    }

    final Asks asks;
    final Waits waits;
    final String base;

    Client(String base, Asks asks, Waits waits) {
        this.base = base;
        this.asks = asks;
        this.waits = waits;
    }

    String get(String path) throws Exception {
        while (true) {
            Reply reply = asks.ask(base + path);
            if (reply.status() == 200) {
                return reply.body();
            }
            waits.wait(toldWait(reply.told()));
        }
    }

    void run() throws Exception {
        get("/date");
        get("/wait");
        try {
            get("/silent");
            throw new IllegalStateException("an answer from the silent");
        } catch (HttpTimeoutException | SocketTimeoutException expected) {
            // As it must be.
        }
        for (String path : new String[] {"/delay", "/parts", "/end"}) {
            if (!get(path).equals("done")) {
                throw new IOException(path);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        Asks asks = arguments[1].equals("client") ? byClient() : byConnection();
        // Thread.sleep(Duration) is of a later Java, and milliseconds are cut.
        Waits waits = arguments[2].equals("schedule")
                ? bySchedule()
                : span -> Thread.sleep(span.toMillis(), span.toNanosPart() % 1_000_000);
        new Client(arguments[0], asks, waits).run();
    }
}
