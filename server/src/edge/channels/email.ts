import { because } from '../../platform/because.ts';
import { within } from '../../platform/deadline.ts';
import { type Channel, openContent, type Parcel, type SendOutcome } from '../../platform/outbox/channel.ts';
import { CannotOpen, type Vault } from '../../platform/vault.ts';
import type { ChannelDefinition } from './definition.ts';
import { oneLine } from './http-outcome.ts';
import { type SmtpFailure, type SmtpLines, smtpLines } from './smtp-lines.ts';

/** Sends mail through the operator's mail server. */
export const email: ChannelDefinition<{ readonly smtpUrl: string; readonly smtpFrom: string }> = {
  setup({ smtpUrl: url, smtpFrom: from }) {
    const missing = whyNoMail({ url, from }) ?? null;
    return { missing, isBegun: url !== '', about: 'Mail is sent by the server of TRACKWAY_SMTP_URL.' };
  },
  open: ({ smtpUrl, smtpFrom }, { vault }) => emailChannel({ url: smtpUrl, from: smtpFrom, vault }),
};

interface EmailOptions {
  /** smtp(s)://user:password@host:port; empty if no server is configured. */
  readonly url: string;
  /** The sender; if empty, the user of the address. */
  readonly from: string;
  /** Decrypts content that is stored encrypted until it is sent. */
  readonly vault: Pick<Vault, 'open'>;
  readonly deadlineMs?: number;
}

/** The operator may restore the key. */
const UNREADABLE: SendOutcome = {
  kind: 'later',
  reason: 'The content cannot be decrypted: it was encrypted with another key',
};

const NO_SERVER = 'E-mail is not configured: set TRACKWAY_SMTP_URL.';
const NO_SENDER = 'E-mail is not configured: set TRACKWAY_SMTP_FROM.';
const notConfigured = (missing: string) =>
  because('mailNotConfigured', { setting: missing === NO_SERVER ? 'TRACKWAY_SMTP_URL' : 'TRACKWAY_SMTP_FROM' });

/** A sentence that explains why no mail can be sent, or undefined. */
function whyNoMail({ url, from }: Pick<EmailOptions, 'url' | 'from'>): string | undefined {
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
    if (!isAddress(to)) return { kind: 'refused', ...because('notAnAddress') };
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
      if (lines === undefined) return parcels.map(() => ({ kind: 'unconfigured', ...notConfigured(missing!) }));
      // The first use imports the libraries, which must not count against the deadline.
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

/** One plain address: no list, no display name, nothing that could end a protocol line. */
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
  const { subject = '', text, html, attachments = [] } = content;
  return new MailComposer({
    from,
    to,
    // A subject is one line, even if names of devices and fences contain line breaks.
    subject: subject.replaceAll(/[\p{C}\s]+/gu, ' ').trim(),
    text,
    ...(html === undefined ? {} : { html }),
    attachments: attachments.map(({ name, type, base64 }) => ({
      ...{ filename: name, contentType: type, content: Buffer.from(base64, 'base64') },
    })),
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
 * All users share the server, so a problem with a single mail must not mark it as down: neither an address nor a
 * content that it rejects, temporarily or permanently. Problems of the server or of our account there do.
 */
function outcomeOf(failure: SmtpFailure): SendOutcome {
  const { code, responseCode, response = '', command = '', isAccepted } = failure;
  if (code === 'EAUTH') {
    return {
      kind: 'down',
      reason: `The mail server rejects the account of TRACKWAY_SMTP_URL (${responseCode ?? 'no log-in'}).`,
    };
  }
  if (responseCode !== undefined) {
    const isOfTheMail = command === 'RCPT TO' || command === 'DATA' || responseCode === 552;
    const why = because('mailServerAnswered', { answer: oneLine(response) });
    if (!isOfTheMail || isSystem(failure)) return { kind: 'down', ...why };
    return { kind: responseCode < 500 ? 'later' : 'refused', ...why };
  }
  if (code === 'EMESSAGE') return { kind: 'refused', reason: 'The e-mail is too large for the mail server.' };
  if (code === 'EENVELOPE') return { kind: 'refused', ...because('mailAddressRefused') };
  const unclear = isAccepted ? { isUnclear: true } : {};
  if (code === 'AbortError') return { kind: 'down', ...because('aborted'), ...unclear };
  const isLate = code === 'TimeoutError' || code === 'ETIMEDOUT';
  if (!isAccepted && isLate) return { kind: 'down', reason: 'The mail server cannot be reached in time.' };
  const cause = isAccepted ? (isLate ? 'mailServerSilent' : 'mailServerClosed') : 'mailServerUnreachable';
  return { kind: 'down', ...because(cause), ...unclear };
}

/**
 * 421 ends the service. Other codes are the server's own problem if their enhanced code (x.3) says so, and 452 without
 * one means a full disk. An address cannot cause any of these.
 */
const isSystem = ({ response = '' }: SmtpFailure) => /^(421|4\d\d[ -]4\.3\.|452(?![ -]\d\.))/.test(response);
