/** Returns a host as it is written in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Returns the origins of a server at a host and port, over plain HTTP. */
export function originsAt(host: string, port: number): string[] {
  const hosts = THIS_MACHINE.includes(host) ? THIS_MACHINE : [host];
  return hosts.map((name) => `http://${hostInUrl(name)}${port === 80 ? '' : `:${port}`}`);
}

/** A service on one of these hosts can nearly always be reached through the others. */
const THIS_MACHINE = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'];
