import { isIP } from 'node:net';
import { Refusal } from '../../../platform/errors.ts';

/** To whom a passkey belongs: a domain, and the origin of the pages that may use it. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * The relying party of a request: this server at its public address, or at the name of this machine. Any other name of
 * the request is somebody else's word, so no passkey is made for it.
 */
export function relyingPartyOf(origin: string, publicUrl: string): RelyingParty {
  const known = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined;
  const asked = URL.canParse(origin) ? new URL(origin) : undefined;
  if (known && asked?.origin === known.origin && isUsable(known)) return { id: known.hostname, origin: known.origin };
  if (asked?.hostname === 'localhost') return { id: 'localhost', origin: asked.origin };
  const at =
    known && isUsable(known) ? `at ${known.origin}` : 'where TRACKWAY_PUBLIC_URL is an https:// address with a name';
  throw new Refusal(400, `Passkeys work only ${at}, and at localhost`, { code: 'NO_PASSKEYS_HERE' });
}

/** Browsers offer passkeys to names only, and not over plain http. */
const isUsable = ({ protocol, hostname }: URL) =>
  protocol === 'https:' && isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 && hostname !== '';
