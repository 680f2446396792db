/** A host as it stands in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** The origins of what listens at a host and port, over plain HTTP. */
export function originsAt(host: string, port: number): string[] {
  const hosts = THIS_MACHINE.includes(host) ? THIS_MACHINE : [host];
  return hosts.map((name) => `http://${hostInUrl(name)}${port === 80 ? '' : `:${port}`}`);
}

/** A service that listens at one of these is nearly always reached by the others. */
const THIS_MACHINE = ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'];
