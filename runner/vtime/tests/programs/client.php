<?php
// A client of curl, or of PHP's own streams: its second argument says which.
// What a client does: see clients/main.rs.
[, $base, $way] = $argv;

function by_curl(string $url): ?array
{
    $told = null;
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
        CURLOPT_HEADERFUNCTION => function ($curl, $line) use (&$told) {
            if (preg_match('/^retry-after:\s*(.*?)\s*$/i', $line, $match)) {
                $told = $match[1];
            }
            return strlen($line);
        },
    ]);
    $body = curl_exec($curl);
    if ($body === false) {
        return null;
    }
    return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $told, $body];
}

function by_stream(string $url): ?array
{
    $context = stream_context_create(['http' => ['timeout' => 30, 'ignore_errors' => true]]);
    $body = @file_get_contents($url, false, $context);
    if ($body === false || $body === '') {
        return null;
    }
    $told = null;
    foreach ($http_response_header as $line) {
        if (preg_match('/^retry-after:\s*(.*)$/i', $line, $match)) {
            $told = $match[1];
        }
    }
    return [(int) explode(' ', $http_response_header[0])[1], $told, $body];
}

function wait(string $told): void
{
    if (ctype_digit($told)) {
        sleep((int) $told);
    } else {
        // A usleep takes whole microseconds.
        usleep((int) ceil(max(0, strtotime($told) - microtime(true)) * 1e6));
    }
}

function get(string $path): ?string
{
    global $base, $way;
    while (true) {
        $reply = $way === 'curl' ? by_curl($base . $path) : by_stream($base . $path);
        if ($reply === null || $reply[0] === 200) {
            return $reply[2] ?? null;
        }
        wait($reply[1]);
    }
}

get('/date');
get('/wait');
if (get('/silent') !== null) {
    exit("an answer from the silent\n");
}
foreach (['/delay', '/parts', '/end'] as $path) {
    if (get($path) !== 'done') {
        exit(1);
    }
}
