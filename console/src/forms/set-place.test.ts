import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeInText, setPlaceText, withSetPlace } from './set-place.ts';

test('a place is read as people write it', () => {
  assert.deepEqual(placeInText('50.11, 8.68'), { lat: 50.11, lng: 8.68 });
  assert.deepEqual(placeInText(' -33.9 151.2 '), { lat: -33.9, lng: 151.2 });
  assert.equal(placeInText(''), null);
  for (const text of ['here', '95, 8', '50', '50, 181', '50, 8, 3']) assert.equal(placeInText(text), undefined, text);
});

test('the other data of a device stay', () => {
  const meta = { plate: 'BZ 1', place: { lat: 1, lng: 2, accuracy: 7 } };
  assert.equal(setPlaceText(meta), '1, 2');
  assert.equal(setPlaceText({ place: 'second floor' }), '');
  assert.equal(setPlaceText(null), '');
  assert.deepEqual(withSetPlace(meta, { lat: 3, lng: 4 }), { plate: 'BZ 1', place: { lat: 3, lng: 4, accuracy: 7 } });
  assert.deepEqual(withSetPlace(meta, null), { plate: 'BZ 1' });
  assert.equal(withSetPlace({ place: {} }, null), null);
});
