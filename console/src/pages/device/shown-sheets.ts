import type { AnswerOf } from '@trackway/contract/operations.ts';

export type Abilities = AnswerOf<'getDeviceAbilities'>;

/** The capabilities of a device that has never reported are unknown: most tracked objects move. */
export function shownSheets(can: Abilities, isNew: boolean): readonly string[] {
  const hasPositions = can.positions || isNew;
  return [
    'overview',
    ...(hasPositions ? ['day'] : []),
    'timeline',
    // Speed and accuracy of positions are shown there, too.
    ...(can.readings || can.positions ? ['readings'] : []),
    ...(can.hearings ? ['heard'] : []),
    ...(can.messages ? ['messages'] : []),
    ...(can.configuration ? ['config'] : []),
    'triggers',
    // Vehicles need maintenance.
    ...(hasPositions ? ['maintenance'] : []),
    ...(can.forwarders ? ['forwarding'] : []),
    'access',
    ...(can.quarantine ? ['quarantine'] : []),
  ];
}
