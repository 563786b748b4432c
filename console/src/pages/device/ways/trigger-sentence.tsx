import type { Device } from '../../../api/devices.ts';
import { useGeofences } from '../../../api/geofences.ts';
import type { Trigger } from '../../../api/triggers.ts';
import { useFormat } from '../../../format/use-format.ts';
import { draftOf, isKnownType } from '../../../forms/trigger-draft.ts';
import { sentenceOf } from '../../../forms/trigger-sentence.ts';
import { t } from '../../../texts/t.ts';
import { nameOf } from '../name-of.ts';

/** A trigger as a sentence: "When Van 3 has been outside Depot for 2 minutes, e-mail me." */
export function TriggerSentence({ trigger, device }: { trigger: Trigger; device: Device }) {
  const { units } = useFormat();
  const fences = useGeofences({ order: 'name ASC' }).data ?? [];
  if (!isKnownType(trigger.type)) return <>{t.triggers.unknownType({ type: trigger.type })}</>;
  const names = { device: nameOf(device), other: t.triggers.anotherDevice, fences, units };
  return <>{sentenceOf(draftOf(trigger), names)}</>;
}
