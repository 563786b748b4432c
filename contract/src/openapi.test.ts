import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { openApi } from './openapi.ts';
import { OPERATIONS } from './operations.ts';

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
    const streams = version === 'v1' ? ['live'] : ['socket', 'deviceSocket'];
    assert.deepEqual(named.toSorted(), [...expected.map(([name]) => name), ...streams].toSorted());
  });
}

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

test('a noun is one named schema, to which its operations refer', () => {
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
