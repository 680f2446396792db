import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the network that an address is counted by: an IPv4 address itself, or the first 64 bits of an IPv6 address,
 * because a client with one address has all addresses of that network. Providers also hand out networks of 56 and 48
 * bits, so a limit that one client must not get 65,536 times uses fewer `bits`. A text that is not an address is
 * returned as it is.
 */
export function clientNetwork(address: string, bits: 64 | 56 | 48 = 64): string {
  // The usual spelling of a connection's address. Parsing it took as long as all other work for a new connection.
  const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  if (isIPv4(plain)) return plain;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const [first = 0, second = 0, third = 0, fourth = 0] = parsed.parts;
  const kept = bits === 64 ? fourth : bits === 56 ? fourth & 0xff00 : 0;
  const network = new ipaddr.IPv6([first, second, third, kept, 0, 0, 0, 0]).toString();
  return bits === 64 ? network : `${network}/${bits}`;
}

/** The prefix of an IPv4 address when a server listens for both families. */
const MAPPED = '::ffff:';

/** Returns the networks of an address, the smallest first: for IPv6 by 64, 56 and 48 bits. */
export function clientNetworks(address: string): readonly string[] {
  const own = clientNetwork(address);
  if (isIPv4(own)) return [own];
  const wide = clientNetwork(address, 48);
  return own === wide ? [own] : [own, clientNetwork(address, 56), wide];
}
