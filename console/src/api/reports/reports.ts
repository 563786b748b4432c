import type { Input } from '@trackway/client/input.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useRead } from '../calls.ts';

export type FleetReport = AnswerOf<'fleetReport'>;
export type FleetReportRow = FleetReport['rows'][number];
export type FleetReportBody = NonNullable<Input<'fleetReport'>['body']>;

export const useFleetReport = (body: FleetReportBody, options?: ReadOptions) =>
  useRead('fleetReport', { body }, options);
