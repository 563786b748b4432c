import type { FastifyInstance } from 'fastify';
import { timeNow } from '../../../platform/clock.ts';
import { Refusal } from '../../../platform/errors.ts';
import { readable } from '../readable.ts';

/** The file must say until when it holds; whoever reads it later reads it again. */
const VALID_MS = 180 * 86_400_000;

/** Mounts the file that tells finders of weaknesses whom to write to (RFC 9116). */
export function mountSecurityTxt(server: FastifyInstance, contact: string): void {
  readable(server, '/.well-known/security.txt', (_request, reply) => {
    if (contact === '') throw new Refusal(404, 'The operator of this server has not set TRACKWAY_SECURITY_CONTACT.');
    const lines = [`Contact: ${contactAddress(contact)}`, `Expires: ${new Date(timeNow() + VALID_MS).toISOString()}`];
    return reply.header('content-type', 'text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}

const contactAddress = (contact: string) => (contact.includes(':') ? contact : `mailto:${contact}`);
