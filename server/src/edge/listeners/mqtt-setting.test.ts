import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadSetting } from '../../platform/settings.ts';
import { topicSources } from '../protocols/mqtt/sources.ts';
import { filtersOf, listenedTopicsOf, topicIn } from './listen-setting.ts';

const listened = (value: string) => listenedTopicsOf(value, topicSources);

test('names conventions of topics, each with or without the first levels', () => {
  assert.deepEqual(listened(''), []);
  assert.deepEqual(listened(' openmqttgateway:a/b , teltonika,').flatMap(filtersOf), ['a/b/+/BTtoMQTT/+', '+/data']);
  for (const wrong of [
    'nobody',
    'owntracks:',
    'owntracks:#',
    'owntracks:a/',
    'owntracks:/a',
    'teltonika:+',
    'owntracks:$SYS',
  ])
    assert.throws(() => listened(wrong), BadSetting, wrong);
});

test('a topic belongs to the convention by which it was subscribed to', () => {
  const all = listened('owntracks,openmqttgateway:a/b,teltonika');
  const found = (topic: string) => {
    const { source, levels } = topicIn(all, topic) ?? {};
    return source && [source.name, ...levels!];
  };
  assert.deepEqual(found('owntracks/jane/pixel'), ['owntracks', 'jane', 'pixel']);
  assert.deepEqual(found('owntracks/jane/pixel/event'), ['owntracks', 'jane', 'pixel', 'event']);
  assert.deepEqual(found('a/b/garage/BTtoMQTT/A4C138112233'), [
    'openmqttgateway',
    'garage',
    'BTtoMQTT',
    'A4C138112233',
  ]);
  assert.deepEqual(found('352093081452251/data'), ['teltonika', '352093081452251', 'data']);
  for (const other of ['owntracks/jane/pixel/cmd', 'home/garage/BTtoMQTT/A4C138112233', 'owntracksx/a/b', 'data', ''])
    assert.equal(found(other), undefined, other);
});
