import { useState } from 'react';
import { useSetDevicePlan } from '../../api/plans.ts';
import { PickDevice } from '../../forms/pick-device.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldStack } from '../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { words as common } from '../../ui/words.ts';

const words = t.plans;

/** Subscribes a device to a plan. */
export function DevicePlanForm({ plan, onClose }: { plan: { id: number; name: string }; onClose: () => void }) {
  const put = useSetDevicePlan();
  const [deviceId, setDeviceId] = useState<number>();
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    if (deviceId === undefined) return setProblem(words.noDevice);
    try {
      await put.mutateAsync({ id: deviceId, body: { planId: plan.id } });
      toast({ text: words.putDone, tone: 'good' });
      onClose();
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <Dialog
      title={words.putOn({ name: plan.name })}
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={put.isPending}>
            {words.putAction}
          </Button>
        </>
      }
    >
      <FieldStack>
        {problem && <Notice tone="danger">{problem}</Notice>}
        <PickDevice label={words.device} hint={words.putHint} deviceId={deviceId} onChange={setDeviceId} />
      </FieldStack>
    </Dialog>
  );
}
