import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TRIGGER_TYPES } from '@trackway/contract/triggers.ts';
import { type TriggerField, TYPE_FORMS, TYPE_NAMES } from './trigger-types.ts';

const SET_BY: Readonly<Record<Extract<TriggerField, string>, readonly string[]>> = {
  zone: ['zoneId', 'zoneGroup'],
  zoneType: ['zoneType'],
  readingType: ['readingType'],
  days: ['days'],
  mask: ['mask'],
  alarms: ['alarms'],
  otherDevice: ['deviceId'],
};

test('the form of a type has a field for each of its parameters, and for no other', () => {
  for (const type of TYPE_NAMES) {
    const set = TYPE_FORMS[type].fields.flatMap((field) =>
      typeof field === 'string' ? SET_BY[field] : field.parameter,
    );
    assert.deepEqual(set.sort(), Object.keys(TRIGGER_TYPES[type].parameters).sort(), type);
  }
});
