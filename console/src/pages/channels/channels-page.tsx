import { fieldsOf } from '@trackway/contract/wording/channel-fields.ts';
import { useState } from 'react';
import { type ChannelSetup, useChannels, useSetUpChannel, useTestChannel } from '../../api/accounts/channels.ts';
import { t, textFor } from '../../texts/t.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { FieldStack, TextField } from '../../ui/fields/field.tsx';
import { Card, Page, Row, Stack } from '../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';

const words = t.channelSetup;

/** Lets admins set up how this server sends messages. */
export default function ChannelsPage() {
  const channels = useChannels();
  return (
    <Page title={t.shell.channels} lead={words.lead} width="narrow">
      <Loaded query={channels}>
        {(all) => (
          <Stack>
            {all.map((setup) => (
              <ChannelCard key={setup.channel} setup={setup} />
            ))}
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

function ChannelCard({ setup: { channel, missing, fields } }: { setup: ChannelSetup }) {
  const name = t.channels[channel].name;
  const change = useSetUpChannel();
  const [entered, setEntered] = useState<Readonly<Record<string, string>>>({});
  const isFixed = fields.every(({ fixedBy }) => fixedBy !== null);
  const save = async (values: Record<string, string | null>) => {
    try {
      await change.mutateAsync({ body: { channel, values } });
      setEntered({});
      toast({ text: words.saved({ channel: name }), tone: 'good' });
    } catch {
      // The card shows the error.
    }
  };
  const changed = Object.fromEntries(Object.entries(entered).map(([field, value]) => [field, value.trim() || null]));
  const stored = fields.filter(({ isSet, fixedBy }) => isSet && fixedBy === null);
  return (
    <Card
      title={name}
      actions={
        <Badge tone={missing === null ? 'good' : 'plain'}>{missing === null ? words.ready : words.notReady}</Badge>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save(changed);
        }}
      >
        <FieldStack>
          {change.error && <Notice tone="danger">{problemOf(change.error)}</Notice>}
          {fields.map(({ name: field, value, isSet, fixedBy }) => {
            const { isSecret, example } = fieldsOf(channel)[field] ?? {};
            const label = textFor(words.fields, field) ?? field;
            if (fixedBy !== null)
              return (
                <TextField
                  key={field}
                  label={label}
                  value={words.fixed({ name: fixedBy })}
                  onChange={() => {}}
                  disabled
                />
              );
            return (
              <TextField
                key={field}
                label={label}
                type={isSecret ? 'password' : 'text'}
                {...(isSecret && isSet && { hint: words.keep })}
                {...(example && !(isSecret && isSet) && { placeholder: example })}
                autoComplete="off"
                maxLength={2000}
                value={entered[field] ?? value ?? ''}
                onChange={(text) => setEntered({ ...entered, [field]: text })}
              />
            );
          })}
          {!isFixed && (
            <Row>
              <Button
                kind="primary"
                type="submit"
                isBusy={change.isPending}
                disabled={Object.keys(entered).length === 0}
              >
                {words.save}
              </Button>
              {stored.length > 0 && (
                <Button
                  kind="quiet"
                  disabled={change.isPending}
                  onClick={() => void save(Object.fromEntries(stored.map(({ name: field }) => [field, null])))}
                >
                  {words.clear}
                </Button>
              )}
            </Row>
          )}
        </FieldStack>
      </form>
      {missing === null && <ChannelTest channel={channel} name={name} />}
    </Card>
  );
}

function ChannelTest({ channel, name }: { channel: ChannelSetup['channel']; name: string }) {
  const test = useTestChannel();
  const [address, setAddress] = useState('');
  const label = textFor(words.addresses, channel);
  return (
    <FieldStack>
      {label && <TextField label={label} value={address} onChange={setAddress} maxLength={300} />}
      <Row>
        <Button
          isBusy={test.isPending}
          disabled={label !== undefined && address.trim() === ''}
          onClick={() => test.mutate({ body: { channel, ...(label && { address }) } })}
        >
          {words.test({ channel: name })}
        </Button>
      </Row>
      {test.error && <Notice tone="danger">{problemOf(test.error)}</Notice>}
      {test.data && (
        <Notice tone={test.data.isSent ? 'good' : 'danger'}>
          {test.data.isSent ? words.testSent[channel] : words.testFailed({ reason: test.data.reason ?? '' })}
        </Notice>
      )}
    </FieldStack>
  );
}
