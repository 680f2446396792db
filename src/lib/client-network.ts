import ipaddr from 'ipaddr.js';

/**
 * What an address is counted by: an IPv4 address itself, an IPv6 address by its first 64 bits, because whoever has one
 * of those has all that share them. Text that is no address counts as it is.
 */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString();
}
