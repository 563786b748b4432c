import './english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@trackway/client/api-error.ts';
import { ERRORS } from '@trackway/contract/errors.ts';
import { entryText } from '../pages/device/timeline/entry-text.ts';
import { errorText } from './error-text.ts';
import { t } from './t.ts';

test('an error is shown by its code and values, and in English if the code is unknown', () => {
  const quota = { code: 'QUOTA_EXCEEDED', details: { most: 3, things: 'devices' } };
  assert.match(errorText(new ApiError(403, 'x', quota)), /^You may have at most 3 devices/);
  const busy = { code: 'TOO_MANY_REQUESTS', retryAfter: 7 };
  assert.equal(errorText(new ApiError(429, 'x', busy)), 'Too many requests: try again in 7 s');
  assert.equal(errorText(new ApiError(418, 'It is a teapot.', { code: 'TEAPOT' })), 'It is a teapot.');
  assert.equal(errorText(new ApiError(404, 'Nothing here.')), 'Nothing here.');
});

test('every error of the contract has a message', () => {
  const codes = [...new Set(Object.values(ERRORS).map(({ code }) => code))];
  assert.deepEqual(Object.keys(t.errors).sort(), codes.sort());
});

test('an entry of the timeline is shown by its type and values', () => {
  const shown = (type: string, meta: Record<string, string> = {}) => entryText({ type, description: 'Other.', meta });
  assert.equal(shown('plans/started', { title: 'Basic' }), 'Plan Basic started');
  const raised = { title: 'Basic', raised: 'interval to 60 s' };
  assert.equal(shown('plans/renewed', raised), 'Plan Basic renewed. Increased: interval to 60 s');
  assert.equal(shown('activation/activated', { by: 'plan' }), 'Activated by its plan');
  assert.equal(shown('pairing/shared', { rights: 'manage' }), 'The device was shared (can manage)');
  assert.equal(shown('devicemessage/down/sent'), 'A message was sent to the device');
  assert.equal(shown('sim/unknown'), 'Other');
  assert.equal(shown('toString/constructor'), 'Other');
});
