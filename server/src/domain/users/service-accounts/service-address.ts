/** A domain that exists nowhere, by RFC 2606: what is sent there reaches nobody. */
const DOMAIN = 'service.invalid';

/** The address of a service account, by which devices are shared with it. `suffix` keeps equal names apart. */
export function serviceAddress(name: string, suffix: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${[plain, suffix].filter(Boolean).join('-')}@${DOMAIN}`;
}

export const isServiceAddress = (address: string) => address.toLowerCase().endsWith(`@${DOMAIN}`);
