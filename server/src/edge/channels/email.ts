import { within } from '../../platform/deadline.ts';
import type { Channel, Parcel, SendOutcome } from '../../platform/outbox/channel.ts';
import { openContent } from '../../platform/outbox/sealed-content.ts';
import { CannotOpen, type Vault } from '../../platform/vault.ts';
import type { ChannelDefinition } from './definition.ts';
import { oneLine } from './reason.ts';
import { type SmtpFailure, type SmtpLines, smtpLines } from './smtp-lines.ts';

/** Sends mail by the operator's mail server. */
export const email: ChannelDefinition<{ readonly smtpUrl: string; readonly smtpFrom: string }> = {
  setup({ smtpUrl: url, smtpFrom: from }) {
    const missing = whyNoMail({ url, from }) ?? null;
    return { missing, isBegun: url !== '', about: 'Mail is sent by the server of TRACKWAY_SMTP_URL.' };
  },
  open: ({ smtpUrl, smtpFrom }, { vault }) => emailChannel({ url: smtpUrl, from: smtpFrom, vault }),
};

export interface EmailOptions {
  /** smtp(s)://user:password@host:port; empty where no server is set. */
  readonly url: string;
  /** The sender; the user of the address where it is empty. */
  readonly from: string;
  /** Opens what was encrypted until it is sent. */
  readonly vault: Pick<Vault, 'open'>;
  readonly deadlineMs?: number;
}

/** The key may be put back. */
const UNREADABLE: SendOutcome = {
  kind: 'later',
  reason: 'What it says cannot be decrypted: this server has another key than the one it was encrypted with',
};

export const NO_SERVER = 'E-mail is not configured: set TRACKWAY_SMTP_URL.';
export const NO_SENDER = 'E-mail is not configured: set TRACKWAY_SMTP_FROM.';

/** A sentence about why no mail can be sent at all, or undefined. */
export function whyNoMail({ url, from }: Pick<EmailOptions, 'url' | 'from'>): string | undefined {
  if (url === '') return NO_SERVER;
  return senderOf(url, from) === undefined ? NO_SENDER : undefined;
}

export function emailChannel(options: EmailOptions): Channel {
  const { url, from, vault, deadlineMs = 30_000 } = options;
  const missing = whyNoMail(options);
  const lines = missing === undefined ? smtpLines(url) : undefined;

  function contentOf({ messageId, content }: Parcel): Parcel['content'] | undefined {
    try {
      return openContent(vault, messageId, content);
    } catch (error) {
      if (error instanceof CannotOpen) return undefined;
      throw error;
    }
  }

  async function sendOne(lines: SmtpLines, parcel: Parcel, signal: AbortSignal): Promise<SendOutcome> {
    const sender = senderOf(url, from)!;
    const to = parcel.address ?? '';
    if (!isAddress(to)) return { kind: 'refused', reason: 'The address is not an e-mail address.' };
    const content = contentOf(parcel);
    if (content === undefined) return UNREADABLE;
    const mail = await compose({ ...parcel, content }, sender, to);
    const failure = await lines.send({ from: addressIn(sender), to }, mail, signal);
    return failure === undefined ? { kind: 'sent' } : outcomeOf(failure);
  }

  return {
    batch: 1,
    concurrency: 4,
    isOrdered: () => false,
    async send(_destination, parcels, breakOff) {
      if (lines === undefined) return parcels.map(() => ({ kind: 'unconfigured', reason: missing! }));
      // The first use brings the libraries in, which does not count.
      await Promise.all([import('nodemailer/lib/smtp-connection'), import('nodemailer/lib/mail-composer')]);
      return within(breakOff, deadlineMs, (signal) =>
        Promise.all(parcels.map((parcel) => sendOne(lines, parcel, signal))),
      );
    },
    async close() {
      lines?.close();
    },
  };
}

/** One plain address: no list, no display name, nothing that could end a line of the protocol. */
const isAddress = (text: string) =>
  text.length <= 254 && /^[^\s\p{C}<>()[\]\\,;:"@]+@[^\s\p{C}<>()[\]\\,;:"@]+$/u.test(text);

const addressIn = (sender: string) => /<([^<>]*)>\s*$/.exec(sender)?.[1] ?? sender.trim();

function senderOf(url: string, from: string): string | undefined {
  const sender = from === '' ? userIn(url) : from;
  return isAddress(addressIn(sender)) ? sender : undefined;
}

function userIn(url: string): string {
  try {
    return decodeURIComponent(new URL(url).username);
  } catch {
    return '';
  }
}

async function compose({ messageId, content, createdAt }: Parcel, from: string, to: string): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { subject = '', text, html } = content;
  return new MailComposer({
    from,
    to,
    // A subject is one line; whatever names of devices and fences hold.
    subject: subject.replaceAll(/[\p{C}\s]+/gu, ' ').trim(),
    text,
    ...(html === undefined ? {} : { html }),
    messageId: `<${messageId}@${addressIn(from).split('@')[1]}>`,
    ...(createdAt > 0 ? { date: new Date(createdAt) } : {}),
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/**
 * The server is everyone's, so nothing that concerns a single mail may count as its being down: neither an address nor a
 * content that it does not take, for now or for good. What concerns the server or our account there does.
 */
function outcomeOf(failure: SmtpFailure): SendOutcome {
  const { code, responseCode, response = '', command = '', isHandedOver } = failure;
  if (code === 'EAUTH') {
    return {
      kind: 'down',
      reason: `The mail server rejects the account of TRACKWAY_SMTP_URL (${responseCode ?? 'no log-in'}).`,
    };
  }
  if (responseCode !== undefined) {
    const isOfTheMail = command === 'RCPT TO' || command === 'DATA' || responseCode === 552;
    const reason = `The mail server answered: ${oneLine(response)}`;
    if (!isOfTheMail || isSystem(failure)) return { kind: 'down', reason };
    return { kind: responseCode < 500 ? 'later' : 'refused', reason };
  }
  if (code === 'EMESSAGE') return { kind: 'refused', reason: 'The mail is too large for the mail server.' };
  if (code === 'EENVELOPE') return { kind: 'refused', reason: 'The mail server does not accept this address.' };
  const unclear = isHandedOver ? { isUnclear: true } : {};
  if (code === 'AbortError') return { kind: 'down', reason: 'Sending was aborted.', ...unclear };
  const isLate = code === 'TimeoutError' || code === 'ETIMEDOUT';
  const reason = isHandedOver
    ? `The mail server ${isLate ? 'did not answer in time' : 'closed the connection'}.`
    : `The mail server cannot be reached${isLate ? ' in time' : ''}.`;
  return { kind: 'down', reason, ...unclear };
}

/**
 * 421 ends the service; of the others those are the server's own that say so by their enhanced code (x.3), and 452
 * without one, a full disk: no trouble that an address could bring about.
 */
const isSystem = ({ response = '' }: SmtpFailure) => /^(421|4\d\d[ -]4\.3\.|452(?![ -]\d\.))/.test(response);
