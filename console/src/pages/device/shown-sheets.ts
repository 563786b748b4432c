import type { AnswerOf } from '@trackway/contract/operations.ts';

export type Abilities = AnswerOf<'getDeviceAbilities'>;

/** Of one that never reported, nobody knows what it will do: most things that are tracked move. */
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
    // What is driven needs service now and then.
    ...(hasPositions ? ['maintenance'] : []),
    ...(can.forwarders ? ['forwarding'] : []),
    'access',
    ...(can.quarantine ? ['quarantine'] : []),
  ];
}
