import type { Input } from '@trackway/client/input.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { call, type ReadOptions, useRead } from '../calls.ts';

export type FleetReport = AnswerOf<'fleetReport'>;
export type FleetReportRow = FleetReport['rows'][number];
export type FleetReportBody = NonNullable<Input<'fleetReport'>['body']>;
export type FleetReportFileBody = NonNullable<Input<'fleetReportFile'>['body']>;

export const useFleetReport = (body: FleetReportBody, options?: ReadOptions) =>
  useRead('fleetReport', { body }, options);

/** The report as a file, made by the server. */
export const readReportFile = (body: FleetReportFileBody) => call('fleetReportFile')({ body });
