import assert from 'node:assert/strict';
import type { Decoded, Malformed, PhoneProtocol, PhoneRequest } from './phone.ts';

/** Builds requests for tests. */

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

export function request(parts: Partial<Omit<PhoneRequest, 'query'>> & { query?: string }): PhoneRequest {
  const { query = '', ...others } = parts;
  return { contentType: '', body: '', headers: {}, now: NOW, ...others, query: [...new URLSearchParams(query)] };
}

export function taken(decoded: Decoded | Malformed): Decoded {
  assert.ok(!('malformed' in decoded), `malformed: ${'malformed' in decoded && decoded.malformed}`);
  return decoded;
}

export const decodedBy = (protocol: PhoneProtocol, parts: Parameters<typeof request>[0]) =>
  taken(protocol.decode(request(parts)));

export const json = (value: unknown) => ({ contentType: 'application/json', body: JSON.stringify(value) });
