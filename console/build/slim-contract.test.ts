import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, queryNamesOf } from '@trackway/client/address.ts';
import { isKeyed, type Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS, parametersOf } from '@trackway/contract/operations.ts';
import * as fleetReport from '@trackway/contract/resources/fleet-report.ts';
import { constantsOf, slim } from './slim-contract.ts';

test('every operation is called in the same way without its schemas', () => {
  for (const [name, operation] of Object.entries(OPERATIONS) as [string, Operation][]) {
    const slimmed = JSON.parse(JSON.stringify(slim(operation))) as Operation;
    const input: Record<string, unknown> = {};
    for (const parameter of parametersOf(operation)) input[parameter] = 7;
    for (const query of queryNamesOf(operation)) input[query] = ['a', 'b'];
    for (const version of operation.versions)
      assert.equal(addressOf(slimmed, version, input), addressOf(operation, version, input), name);
    assert.equal(isKeyed(slimmed), isKeyed(operation), name);
    for (const field of ['method', 'access', 'media'] as const) assert.equal(slimmed[field], operation[field], name);
    assert.equal(Boolean(slimmed.body), Boolean(operation.body), name);
  }
});

test('lists and limits stay, schemas and functions do not', () => {
  const code = constantsOf(fleetReport);
  assert.ok(code.includes(`export const MOST_REPORT_ROWS = ${fleetReport.MOST_REPORT_ROWS};`));
  assert.ok(code.includes('export const REPORT_COLUMNS = {"summary":["name",'));
  assert.ok(!code.includes('fleetReportOperations') && !code.includes('reportKind') && !code.includes('reportChoices'));
});
