import { type FormEvent, useState } from 'react';
import { type User, useUpdateUser } from '../../api/accounts/users.ts';
import { ZONE } from '../../format/times.ts';
import { ZoneField } from '../../forms/account/zone-field.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldRow, FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Checkbox } from '../../ui/fields/switch.tsx';
import { Card } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.settings;

/** Time zone and quiet hours of the viewer. */
export function QuietCard({ me }: { me: User }) {
  const update = useUpdateUser();
  const [timeZone, setTimeZone] = useState(me.timeZone ?? '');
  const [isQuiet, setQuiet] = useState(me.quietHours !== null);
  const [from, setFrom] = useState(me.quietHours?.from ?? '22:00');
  const [to, setTo] = useState(me.quietHours?.to ?? '07:00');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const body = { timeZone: timeZone || null, quietHours: isQuiet ? { from, to } : null };
    try {
      await update.mutateAsync({ id: me.id, body });
      toast({ text: words.saved, tone: 'good' });
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <Card title={words.quiet}>
      <form onSubmit={save}>
        <FieldStack>
          {update.error && <Notice tone="danger">{problemOf(update.error)}</Notice>}
          <ZoneField value={timeZone} onChange={setTimeZone} />
          {timeZone !== ZONE && (
            <div>
              <Button size="small" icon="clock" onClick={() => setTimeZone(ZONE)}>
                {words.takeZone({ zone: ZONE })}
              </Button>
            </div>
          )}
          <Checkbox label={words.hasQuiet} hint={words.hasQuietHint} isOn={isQuiet} onChange={setQuiet} />
          {isQuiet && (
            <FieldRow>
              <TextField label={words.from} type="time" value={from} onChange={setFrom} required />
              <TextField label={words.to} type="time" value={to} onChange={setTo} required />
            </FieldRow>
          )}
          <div>
            <Button kind="primary" type="submit" isBusy={update.isPending}>
              {words.save}
            </Button>
          </div>
        </FieldStack>
      </form>
    </Card>
  );
}
