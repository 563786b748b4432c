import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { NamedSchemas } from './openapi/named-schemas.ts';
import { openApi } from './openapi.ts';
import { isKeyed, SECRET_FIELD } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { documentChecker } from './testing/document-checker.ts';
import { TRIGGER_TYPES } from './triggers.ts';

for (const version of ['v1', 'v2'] as const) {
  test(`the document of ${version} is valid OpenAPI 3.1`, async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(openApi(version)));
    assert.ok(valid, JSON.stringify(errors, null, 1));
    assert.equal(validator.version, '3.1');
  });

  test(`the document of ${version} has every operation once`, () => {
    const paths = openApi(version).paths as Record<string, Record<string, { operationId: string }>>;
    const named = Object.values(paths).flatMap((methods) =>
      Object.values(methods)
        .map(({ operationId }) => operationId)
        .filter((id) => !id.endsWith('ByPatch')),
    );
    const expected = Object.entries(OPERATIONS).filter(([, operation]) =>
      (operation.versions as readonly string[]).includes(version),
    );
    const byHand = {
      v1: [
        ...['live', 'report', 'reportStream', 'reportByOsmand', 'reportByOwntracks', 'reportByOverland'],
        ...['reportByTheThingsStack', 'reportByChirpStack', 'reportBySigfox', 'reportByFrame'],
      ],
      v2: ['socket', 'deviceSocket'],
    };
    assert.deepEqual(named.toSorted(), [...expected.map(([name]) => name), ...byHand[version]].toSorted());
  });
}

type Json = Record<string, unknown>;

test('what may be null where a response is repeated for its key is documented so', () => {
  const missing: string[] = [];
  const look = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const { properties = {}, items, anyOf = [] } = schema as { properties?: Json; items?: unknown; anyOf?: unknown[] };
    for (const [name, field] of Object.entries(properties)) {
      const isText = /"(string|array)"/.test(JSON.stringify((field as Json).type ?? 'string'));
      if (isText && SECRET_FIELD.test(name) && !JSON.stringify(new NamedSchemas().named(field)).includes('"null"'))
        missing.push(`${path}.${name}`);
      look(field, `${path}.${name}`);
    }
    for (const one of [items, ...anyOf]) look(one, path);
  };
  for (const [name, operation] of Object.entries(OPERATIONS)) if (isKeyed(operation)) look(operation.answer, name);
  assert.deepEqual(missing, []);
});

/** Every schema of a document, with its place. */
function schemasIn(document: unknown, place = ''): [string, Json][] {
  if (Array.isArray(document)) return document.flatMap((one, index) => schemasIn(one, `${place}/${index}`));
  if (typeof document !== 'object' || document === null) return [];
  const inner = Object.entries(document)
    .filter(([key]) => key !== 'example' && key !== 'default')
    .flatMap(([key, value]) => schemasIn(value, `${place}/${key}`));
  return [[place, document as Json], ...inner];
}

for (const version of ['v1', 'v2'] as const) {
  test(`every object of ${version} is a named model, and no choice is written twice`, () => {
    const found = schemasIn(openApi(version));
    const unnamed = found.filter(
      ([place, { type, properties }]) =>
        type === 'object' && properties !== undefined && !/^\/components\/schemas\/\w+$/.test(place),
    );
    assert.deepEqual(
      unnamed.map(([place]) => place),
      [],
    );
    const choices = found.filter(
      ([place, schema]) => Array.isArray(schema.enum) && !/\/(parameters|patch)\//.test(place),
    );
    const written = choices.map(([, schema]) => String((schema.enum as unknown[]).filter((one) => one !== null)));
    assert.deepEqual(
      written.filter((one, index) => written.indexOf(one) !== index),
      [],
    );
  });

  test(`every example in the document of ${version} is valid by its schema`, () => {
    assert.deepEqual(documentChecker(openApi(version)).examples(), []);
  });

  test(`no body of ${version} has defaults, which clients would demand or send`, () => {
    const document = openApi(version) as { components: { schemas: Record<string, Json> } };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.deepEqual(
        schemasIn(schema).filter(([, one]) => 'default' in one),
        [],
        name,
      );
    }
  });

  test(`every operation of ${version} has a summary, a description, an example and the errors it can answer`, () => {
    const document = openApi(version) as { paths: Record<string, Record<string, Answering>> };
    for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
      const { operationId, summary, description, responses } = operation;
      assert.ok(summary && description, operationId);
      assert.ok(responses['429'] && responses['503'], operationId);
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400 && !operationId.startsWith('reportBy'))
          assert.match(String(response.$ref), /^#\/components\/responses\//, `${operationId} ${status}`);
    }
  });
}

interface Answering {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly responses: Record<string, { readonly $ref?: string }>;
}

test('two models never share a name', () => {
  const schemas = new NamedSchemas();
  schemas.named({ title: 'a thing', type: 'object', properties: {} });
  assert.throws(() => schemas.named({ title: 'a thing', type: 'string' }), /two models are called AThing/);
});

test('every parameter and every field has a description', () => {
  for (const version of ['v1', 'v2'] as const) {
    const paths = openApi(version).paths as Record<string, Record<string, { parameters: Described[] }>>;
    for (const [path, methods] of Object.entries(paths)) {
      for (const { parameters, ...rest } of Object.values(methods)) {
        const missing = parameters.filter(({ description }) => !description).map(({ name }) => name);
        assert.deepEqual([...missing, ...undescribedIn(rest)], [], path);
      }
    }
  }
});

interface Described {
  readonly name: string;
  readonly description?: string;
}

function undescribedIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(undescribedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { properties = {}, ...rest } = value as { properties?: Record<string, Described> };
  const missing = Object.keys(properties).filter((field) => !properties[field]!.description);
  return [...missing, ...[...Object.values(properties), ...Object.values(rest)].flatMap(undescribedIn)];
}

test('no two operations share a method and path in one version', () => {
  const seen = new Set<string>();
  for (const [name, { method, path, versions }] of Object.entries(OPERATIONS)) {
    for (const version of versions) {
      const place = `${version} ${method} ${path}`;
      assert.ok(!seen.has(place), `${name}: ${place} is there already`);
      seen.add(place);
    }
  }
});

test('a noun is one named schema, and its operations refer to it', () => {
  const { paths, components } = openApi('v1') as {
    paths: Record<string, Record<string, { responses: Record<string, { content: Record<string, { schema: Ref }> }> }>>;
    components: { schemas: Record<string, { properties: Record<string, Ref> }> };
  };
  const read = paths['/users/{id}/geofences/{fk}']!.get!.responses['200']!.content['application/json']!.schema;
  assert.equal(read.$ref, '#/components/schemas/Geofence');
  const list = paths['/users/{id}/geofences']!.get!.responses['200']!.content['application/json']!.schema;
  assert.equal(list.items?.$ref, '#/components/schemas/Geofence');
  assert.ok(components.schemas.Geofence?.properties.outline);
  for (const name of ['NewGeofence', 'GeofenceUpdate', 'Device', 'Plan', 'PlanSummaryEntry', 'Prices'])
    assert.ok(components.schemas[name], name);
  assert.equal(components.schemas.Prices!.properties.tax!.$ref, '#/components/schemas/Prices');
});

interface Ref {
  readonly $ref?: string;
  readonly items?: Ref;
}

test('every field of a named schema has a description', () => {
  for (const version of ['v1', 'v2'] as const) {
    const { schemas } = openApi(version).components as { schemas: Record<string, unknown> };
    for (const [name, schema] of Object.entries(schemas)) {
      if (name !== 'Error') assert.deepEqual(undescribedIn(schema), [], name);
    }
  }
});

test('a list-valued parameter is declared as one that may be repeated', () => {
  const paths = openApi('v1').paths as Record<string, { get: { parameters: { name: string; explode?: boolean }[] } }>;
  const { parameters } = paths['/devices/{id}/setupSqsForwarding']!.get;
  assert.equal(parameters.find(({ name }) => name === 'types')?.explode, true);
});

test('the parameters of each trigger type are one choice by type, and are described where a trigger is changed', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is plain JSON.
  const { components, paths } = openApi('v1') as any;
  const { oneOf, discriminator } = components.schemas.TriggerByType;
  assert.deepEqual(Object.keys(discriminator.mapping), Object.keys(TRIGGER_TYPES));
  assert.deepEqual(
    oneOf.map(({ $ref }: { $ref: string }) => $ref),
    Object.values(discriminator.mapping),
  );
  const isTrigger = new Ajv2020({ strict: false }).compile({ $ref: '#/components/schemas/TriggerByType', components });
  assert.equal(isTrigger({ type: 'speed', parameters: { limit: 80, note: 'motorway' } }), true);
  assert.equal(isTrigger({ type: 'speed', parameters: { note: 'motorway' } }), false);
  const { description } = paths['/devices/{id}/notificationTriggers/{fk}'].put;
  assert.match(description, /`threshold`: Battery level in percent/);
});

test('each version has its own introduction, and only the tags that it uses', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document is plain JSON.
  const [one, two] = [openApi('v1'), openApi('v2')] as any[];
  assert.notEqual(one.info.description, two.info.description);
  assert.match(two.info.description, /`_page`.*\n[\s\S]*reason `IDEMPOTENCY_KEY_REUSED`/);
  for (const { tags, paths, components } of [one, two]) {
    const models = Object.keys(components.schemas).join(' ');
    assert.doesNotMatch(models, /V2|Nothing|Taken|Knock|LookAt/);
    // biome-ignore lint/suspicious/noExplicitAny: a document is plain JSON.
    const used = new Set(Object.values(paths).flatMap((of: any) => Object.values(of).flatMap((is: any) => is.tags)));
    assert.deepEqual(
      tags.map(({ name }: { name: string }) => name).filter((name: string) => !used.has(name)),
      [],
    );
  }
});
