<?php
// A server that sends the responses of its standard input, one JSON line each, and prints each request.
declare(strict_types=1);

$server = stream_socket_server('tcp://127.0.0.1:0');
echo stream_socket_get_name($server, false), "\n";
while (($line = fgets(STDIN)) !== false) {
    $answer = json_decode($line, true);
    $connection = stream_socket_accept($server, 30);
    $head = '';
    while (!str_ends_with($head, "\r\n\r\n")) $head .= fgets($connection);
    preg_match('/content-length: (\d+)/i', $head, $length);
    $body = isset($length[1]) && $length[1] > 0 ? stream_get_contents($connection, (int) $length[1]) : '';
    echo json_encode(['head' => $head, 'body' => $body]), "\n";
    if ($answer !== null) {
        [$status, $text, $headers] = $answer;
        $text = is_string($text) ? $text : json_encode($text);
        $length = strlen($text) + ($headers['cut'] ?? 0);
        $written = isset($headers['retry-after']) ? "Retry-After: {$headers['retry-after']}\r\n" : '';
        if (isset($headers['length'])) $written .= "Content-Length: {$headers['length']}\r\n";
        $framed = isset($headers['chunked']) ? "Transfer-Encoding: chunked\r\n$written\r\n" . dechex($length) . "\r\n$text" : "Content-Length: $length\r\n$written\r\n$text";
        $first = isset($headers['first']) ? "HTTP/1.1 100 Continue\r\n\r\n" : '';
        foreach (str_split("{$first}HTTP/1.1 $status Said\r\n$framed", isset($headers['drips']) ? 1 : 65536) as $part) {
            if (!@fwrite($connection, $part)) break;
            if (isset($headers['drips'])) usleep(20_000);
        }
    }
    if (isset($answer[2]['stays'])) $open[] = $connection;
    else fclose($connection);
}
