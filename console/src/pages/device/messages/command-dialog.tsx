import type { Command } from '@trackway/contract/resources/message.ts';
import { useState } from 'react';
import { useSendCommand } from '../../../api/messages.ts';
import { count, duration } from '../../../format/quantities.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FieldStack, NumberField, SelectField } from '../../../ui/fields/field.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { words as common } from '../../../ui/words.ts';

const words = t.deviceCommands;
const MOST_SECONDS = 30 * 86_400;
const MOST_OUTPUT = 255;
const LIVES_S = ['600', '3600', '86400'] as const;
type State = keyof typeof words.onChoices;

/** Asks for the parameters of a command, and sends it. */
export function CommandDialog({
  deviceId,
  name,
  command,
  onClose,
}: {
  deviceId: number;
  name: string;
  command: Exclude<Command, 'engineStop' | 'position'>;
  onClose: () => void;
}) {
  const send = useSendCommand();
  const [seconds, setSeconds] = useState<number | null>(60);
  const [output, setOutput] = useState<number | null>(1);
  const [state, setState] = useState<State>('on');
  const [life, setLife] = useState<(typeof LIVES_S)[number]>('600');
  const texts = words.commands[command];
  const isBad =
    (command === 'interval' && !isWhole(seconds, MOST_SECONDS)) ||
    (command === 'output' && !isWhole(output, MOST_OUTPUT));
  const on = state === 'on';
  const parameters = { interval: { seconds }, output: { output, on }, alarmArm: { on }, reboot: {}, engineResume: {} };
  const submit = async () => {
    if (isBad) return;
    const expires = new Date(Date.now() + Number(life) * 1000).toISOString();
    try {
      await send.mutateAsync({ id: deviceId, body: { command, parameters: parameters[command], expires } });
      toast({ text: words.sent, tone: 'good' });
      onClose();
    } catch {
      // The notice in the dialog shows the error.
    }
  };
  const choices = command === 'alarmArm' ? words.armChoices : words.onChoices;
  return (
    <Dialog
      title={texts.title({ device: name })}
      onClose={onClose}
      onSubmit={() => void submit()}
      width="narrow"
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={send.isPending}>
            {texts.action}
          </Button>
        </>
      }
    >
      <FieldStack>
        {send.error && <Notice tone="danger">{problemOf(send.error)}</Notice>}
        <p>{texts.text}</p>
        {command === 'interval' && (
          <NumberField
            label={words.seconds}
            unit={words.secondsUnit}
            value={seconds}
            onChange={setSeconds}
            step={1}
            problem={isBad ? words.badSeconds({ most: count(MOST_SECONDS) }) : undefined}
          />
        )}
        {command === 'output' && (
          <NumberField
            label={words.output}
            value={output}
            onChange={setOutput}
            step={1}
            problem={isBad ? words.badOutput({ most: MOST_OUTPUT }) : undefined}
          />
        )}
        {(command === 'output' || command === 'alarmArm') && (
          <SelectField
            label={command === 'output' ? words.on : words.arm}
            value={state}
            onChange={setState}
            choices={(['on', 'off'] as const).map((value) => ({ value, label: choices[value] }))}
          />
        )}
        <SelectField
          label={words.giveUp}
          hint={words.giveUpHint}
          value={life}
          onChange={setLife}
          choices={LIVES_S.map((value) => ({ value, label: duration(Number(value)) }))}
        />
      </FieldStack>
    </Dialog>
  );
}

const isWhole = (value: number | null, most: number) =>
  value !== null && Number.isInteger(value) && value >= 1 && value <= most;
