import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Makes the network that an address is counted by: an IPv4 address itself, an IPv6 address by its first 64 bits, because a
 * client that has one of those has all that share them. Providers hand out 56 and 48 bits too, so what must not be had 65,536
 * times is counted by fewer `bits`. Text that is no address counts as it is.
 */
export function clientNetwork(address: string, bits: 64 | 56 | 48 = 64): string {
  // As connections have it. Reading it digit by digit took as long as all else that a new connection costs.
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

/** An IPv4 address where a server listens for both. */
const MAPPED = '::ffff:';

/** The networks that an address is in, from the smallest on: for IPv6 by 64, 56 and 48 bits. */
export function clientNetworks(address: string): readonly string[] {
  const own = clientNetwork(address);
  if (isIPv4(own)) return [own];
  const wide = clientNetwork(address, 48);
  return own === wide ? [own] : [own, clientNetwork(address, 56), wide];
}
