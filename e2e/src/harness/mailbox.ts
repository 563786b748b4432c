import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from '../../../server/src/testing/eventually.ts';

/** A mail as it arrived, with its parts readable. */
export interface ArrivedMail {
  readonly to: string;
  readonly text: string;
}

export interface Mailbox {
  readonly url: string;
  readonly mails: readonly ArrivedMail[];
  /** The next mail to an address that fits; waits for it. */
  mailTo(address: string, fits: RegExp): Promise<ArrivedMail>;
  /** The link in it, without what stands before its path. */
  linkTo(address: string, path: string): Promise<string>;
  close(): Promise<void>;
}

/** A mail server that takes everything, for the operator's. */
export async function openMailbox(): Promise<Mailbox> {
  const mails: ArrivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    async onData(stream, { envelope }, done) {
      const raw = Buffer.concat(await stream.toArray()).toString();
      for (const { address } of envelope.rcptTo) mails.push({ to: address, text: readable(raw) });
      done();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mailTo: Mailbox['mailTo'] = async (address, fits) =>
    (await eventually(
      `a mail to ${address} about ${fits}`,
      async () => mails.findLast(({ to, text }) => to === address && fits.test(text)),
      (found) => found !== undefined,
    ))!;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    mailTo,
    async linkTo(address, path) {
      const pattern = new RegExp(`https?://[^\\s/]+(${path}#[\\w:-]+)`);
      return pattern.exec((await mailTo(address, pattern)).text)![1]!;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The soft line breaks and escapes of quoted-printable, in which texts with long lines are sent. */
const readable = (raw: string) =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
