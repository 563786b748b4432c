import { Refusal } from '../../../platform/errors.ts';
import type { Vault } from '../../../platform/vault.ts';

/** What whoever mails about accounts needs to know. */
export interface MailDesk {
  /** A sentence about why no mail with a link can be sent; undefined where it can. */
  readonly missing: string | undefined;
  /** The address of the console, to which links lead. It comes from the settings, never from a request. */
  readonly publicUrl: string;
  /** Called after mail was posted. */
  readonly wake: () => void;
  /** Mail with a link that lets in whoever reads it lies encrypted until it is sent. */
  readonly seal: Vault['seal'];
}

/** For tests and tools that never mail. */
export const NO_MAIL: MailDesk = {
  missing: 'E-mail is not configured.',
  publicUrl: '',
  wake: () => {},
  seal() {
    throw new Error('Nothing is mailed here.');
  },
};

/** The address of a page of the console. A token stands behind the #, so that no log of addresses sees it. */
export const linkTo = ({ publicUrl }: Pick<MailDesk, 'publicUrl'>, path: string, token = '') =>
  `${publicUrl.replace(/\/+$/, '')}${path}${token && `#${token}`}`;

/** `instead` says what the caller can do without mail. */
export const mailNotSetUp = (instead: string) =>
  new Refusal(400, `This server cannot send e-mail. ${instead}`, { code: 'MAIL_NOT_CONFIGURED' });

const HOUR_MS = 3_600_000;

/** Refused for now; `what` says what was done too often, and what to do instead. */
export const tooManyMails = (what: string, code: string, waitMs = 24 * HOUR_MS) =>
  new Refusal(429, what, { code, headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } });
