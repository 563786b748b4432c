import { type FormEvent, useState } from 'react';
import { useChange, useRead } from '../../../api/calls.ts';
import { t } from '../../../texts/t.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyField } from '../../../ui/fields/copy-field.tsx';
import { FieldStack, TextField } from '../../../ui/fields/field.tsx';
import { Card, Row } from '../../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';

const words = t.deviceAccess;

/** Sets and removes the encryption secret of OwnTracks reports. */
export function SecretCard({ deviceId }: { deviceId: number }) {
  const query = useRead('getDeviceSecret', { id: deviceId });
  const set = useChange('setDeviceSecret', ['getDeviceSecret']);
  const remove = useChange('removeDeviceSecret', ['getDeviceSecret']);
  const [draft, setDraft] = useState('');
  const secret = query.data?.secret ?? undefined;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await set.mutateAsync({ id: deviceId, body: { secret: draft } });
      setDraft('');
      toast({ text: words.secretSaved, tone: 'good' });
    } catch {
      // The notice above the field shows the error.
    }
  };
  const end = async () => {
    try {
      await remove.mutateAsync({ id: deviceId });
      toast({ text: words.secretRemoved });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Card
      title={words.secret}
      actions={secret === undefined ? undefined : <Badge tone="good">{words.secretIsSet}</Badge>}
    >
      <Loaded query={query} lines={2}>
        {() => (
          <form onSubmit={save}>
            <FieldStack>
              <p>{words.secretLead}</p>
              {set.error && <Notice tone="danger">{problemOf(set.error)}</Notice>}
              {secret !== undefined && <CopyField value={secret} label={words.secretNow} />}
              <TextField
                label={secret === undefined ? words.secretField : words.secretChange}
                hint={words.secretHint}
                value={draft}
                onChange={setDraft}
                maxLength={32}
                autoComplete="off"
                required
              />
              <Row>
                <Button type="submit" icon="key" isBusy={set.isPending}>
                  {words.secretSave}
                </Button>
                {secret !== undefined && (
                  <Button icon="close" isBusy={remove.isPending} onClick={() => void end()}>
                    {words.secretRemove}
                  </Button>
                )}
              </Row>
            </FieldStack>
          </form>
        )}
      </Loaded>
    </Card>
  );
}
