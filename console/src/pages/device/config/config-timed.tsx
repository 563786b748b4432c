import type { DeviceConfig } from '../../../api/device-config.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { FieldStack, SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Card } from '../../../ui/page.tsx';
import type { ConfigEditor } from './config-draft.ts';
import css from './config-form.module.css';

type Timed = NonNullable<DeviceConfig['timed']>[number];

const MOST = 100;
const NEW: Timed = { hh: 6, mm: 0, day: 7, action: 2 };
const two = (part: number) => String(part).padStart(2, '0');
const choicesOf = (labels: readonly string[]) => labels.map((label, index) => ({ value: String(index), label }));

/** Actions of the device at fixed times, in UTC. */
export function TimedSection({ config, set, mayEdit }: ConfigEditor) {
  const timed = config.timed ?? [];
  const change = (index: number, part: Partial<Timed>) =>
    set(
      'timed',
      timed.map((one, at) => (at === index ? { ...one, ...part } : one)),
    );
  return (
    <Card
      title={t.deviceConfig.sections.timed}
      actions={
        mayEdit &&
        timed.length < MOST && (
          <Button size="small" icon="plus" onClick={() => set('timed', [...timed, NEW])}>
            {t.deviceConfig.addTimed}
          </Button>
        )
      }
    >
      <FieldStack>
        <p className={css.soft}>{timed.length === 0 ? t.deviceConfig.noTimed : t.deviceConfig.timedLead}</p>
        {timed.length > 0 && (
          <ul className={css.timed}>
            {timed.map((one, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The times have no names of their own.
              <li key={index}>
                <TextField
                  type="time"
                  label={t.deviceConfig.time}
                  value={`${two(one.hh)}:${two(one.mm)}`}
                  onChange={(text) => {
                    const [hh, mm] = text.split(':').map(Number);
                    if (hh !== undefined && mm !== undefined) change(index, { hh, mm });
                  }}
                />
                <SelectField
                  label={t.deviceConfig.day}
                  value={String(one.day)}
                  onChange={(day) => change(index, { day: Number(day) })}
                  choices={choicesOf(t.deviceConfig.days)}
                />
                <SelectField
                  label={t.deviceConfig.action}
                  value={String(one.action)}
                  onChange={(action) => change(index, { action: Number(action) })}
                  choices={choicesOf(t.deviceConfig.actions)}
                />
                <IconButton
                  icon="trash"
                  label={t.deviceConfig.removeTimed}
                  onClick={() =>
                    set(
                      'timed',
                      timed.filter((_, at) => at !== index),
                    )
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </FieldStack>
    </Card>
  );
}
