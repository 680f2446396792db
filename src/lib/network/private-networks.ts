import ipaddr from 'ipaddr.js';

/** A parsed address range. */
export type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The private networks of companies (RFC 1918, RFC 6598, RFC 4193). Loopback and link-local are never among them. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'].map(parse);

/** Metadata services of clouds: link-local, in those ranges, and one public address. They hand out credentials. */
const METADATA = [
  '169.254.0.0/16',
  'fe80::/10',
  '100.100.100.200/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '168.63.129.16/32',
].map(parse);

/** Parses a range such as 10.20.0.0/16. Null for other text, and for a range that is not entirely private. */
export function readPrivateNetwork(text: string): Network | null {
  if (!ipaddr.isValidCIDR(text)) return null;
  const [address, bits] = parse(text);
  const inside = PRIVATE.some(
    ([range, least]) => range.kind() === address.kind() && bits >= least && address.match(range, least),
  );
  return inside ? [address, bits] : null;
}

/** Returns whether an IP address is in one of the operator's private networks. */
export function isInNetworks(ip: string, networks: readonly Network[]): boolean {
  if (networks.length === 0 || !ipaddr.isValid(ip) || ip.includes('%')) return false;
  return !isMetadataService(ip) && isWithin(ip, networks);
}

/** Returns whether an IP address may be a metadata service of a cloud, which nothing here may call. */
export function isMetadataService(ip: string): boolean {
  const [unzoned = ''] = ip.split('%');
  return ipaddr.isValid(unzoned) && isWithin(unzoned, METADATA);
}

function isWithin(ip: string, networks: readonly Network[]): boolean {
  const address = ipaddr.process(ip);
  return networks.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
}

function parse(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  return ipaddr.parseCIDR(text);
}
