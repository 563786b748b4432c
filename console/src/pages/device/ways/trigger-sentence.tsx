import { TRIGGER_TYPES, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Device } from '../../../api/devices.ts';
import type { Trigger } from '../../../api/triggers.ts';
import { t } from '../../../texts/t.ts';

/** What a trigger does, in one sentence. */
export function TriggerSentence({ trigger }: { trigger: Trigger; device: Device }) {
  const fires = TRIGGER_TYPES[trigger.type as TriggerTypeName]?.fires ?? trigger.type;
  return <>{t.deviceWays.when(fires)}</>;
}
