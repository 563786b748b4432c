/** A domain that exists nowhere, by RFC 2606: mail to it is never delivered. */
const DOMAIN = 'service.invalid';

/** The address of a service account, for sharing devices with it. `suffix` distinguishes equal names. */
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
