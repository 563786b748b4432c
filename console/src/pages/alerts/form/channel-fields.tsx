import { CHANNEL_KINDS, type Channel, specOf } from '@trackway/contract/channels.ts';
import { useMe } from '../../../api/accounts/users.ts';
import { useChange, useRead } from '../../../api/calls.ts';
import { useServerInfo } from '../../../api/server-info.ts';
import { CHANNEL_LOOKS } from '../../../forms/channel-looks.ts';
import { OneDelivery } from '../../../forms/one-delivery.tsx';
import { useBrowserPush } from '../../../forms/push/use-browser-push.ts';
import { bodyOfDraft, hasForms, type TriggerDraft } from '../../../forms/trigger-draft.ts';
import { webhookExample } from '../../../forms/webhook-example.ts';
import { t } from '../../../texts/t.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField, TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import css from './alert-form.module.css';

const words = t.triggers.ways;
/** A test takes seconds. */
const WATCH_MS = 1000;

interface ChannelWords {
  readonly name: string;
  readonly hint?: string;
  readonly field?: { readonly label: string; readonly hint: string };
  /** Of a secret that the address may need. */
  readonly secret?: { readonly label: string; readonly hint: string };
}

interface Props {
  readonly draft: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
}

/** The channels that work on this server, and channels that the alert already uses. */
export function WayFields({ draft, onChange }: Props) {
  const setUp = useServerInfo().data?.channels;
  const offered = CHANNEL_KINDS.filter((way) => setUp?.[way] || draft.ways[way]);
  return (
    <div className={css.ways}>
      {offered.map((way) => {
        const { name, hint }: ChannelWords = t.channels[way];
        const isSetUp = setUp?.[way] !== false;
        return (
          <div key={way}>
            <Checkbox
              label={name}
              hint={isSetUp ? hint : words.notSetUp}
              isOn={draft.ways[way]}
              onChange={(isOn) => onChange({ ways: { ...draft.ways, [way]: isOn } })}
            />
            {way === 'push' && isSetUp && (
              <EnableHere onDone={() => onChange({ ways: { ...draft.ways, push: true } })} />
            )}
            {draft.ways[way] && <AddressField way={way} draft={draft} onChange={onChange} />}
          </div>
        );
      })}
      {hasForms(draft.ways) && <FormField draft={draft} onChange={onChange} />}
      <SendTest draft={draft} />
    </div>
  );
}

/** Push reaches this browser only once it is enabled here. */
function EnableHere({ onDone }: { onDone: () => void }) {
  const { ability, here, isBusy, trouble, subscriptions, start } = useBrowserPush();
  if (ability === undefined || subscriptions === undefined || here !== undefined) return null;
  const problem = trouble ?? (ability === 'able' ? undefined : ability);
  return (
    <div className={css.wayFields}>
      <p className={css.soft}>{problem ? t.notifications.push[problem] : t.notifications.push.off}</p>
      {ability === 'able' && (
        <Button size="small" icon="bell" isBusy={isBusy} onClick={() => void start().then((isOn) => isOn && onDone())}>
          {t.alerts.enableHere}
        </Button>
      )}
    </div>
  );
}

/** Sends a message by the chosen channels, and shows what became of it. */
function SendTest({ draft }: { draft: TriggerDraft }) {
  const test = useChange('testChannels');
  const ids = test.data?.map(({ id }) => id) ?? [];
  const sent = useRead(
    'listDeliveries',
    { id: 'me', filter: { where: { id: { inq: ids } }, order: 'id ASC' } },
    { enabled: ids.length > 0, refetchInterval: WATCH_MS },
  );
  const { delivery, parameters } = bodyOfDraft({ ...draft, parameters: {} }, undefined);
  const run = () => test.mutate({ id: 'me', body: { delivery, parameters } });
  return (
    <div className={css.tried} aria-live="polite">
      <div>
        <Button
          size="small"
          icon="send"
          isBusy={test.isPending}
          disabled={!Object.values(draft.ways).includes(true)}
          onClick={run}
        >
          {t.alerts.sendTest}
        </Button>
      </div>
      {test.error && <Notice tone="danger">{problemOf(test.error)}</Notice>}
      {(sent.data ?? test.data)?.map((one) => (
        <OneDelivery key={one.id} delivery={one} />
      ))}
    </div>
  );
}

const FORMS = ['plain', 'envelope'] as const;

/** The format for webhooks and queues: plain JSON, or the envelope of the published service. */
function FormField({ draft, onChange }: Props) {
  return (
    <div className={css.example}>
      <SelectField
        label={words.form}
        hint={words.formHints[draft.isPlain ? 'plain' : 'envelope']}
        value={draft.isPlain ? 'plain' : 'envelope'}
        choices={FORMS.map((value) => ({ value, label: words.forms[value] }))}
        onChange={(form) => onChange({ isPlain: form === 'plain' })}
      />
      <details>
        <summary>{words.example}</summary>
        <pre>{webhookExample(draft, words.exampleMessage)}</pre>
        <p className={css.soft}>{words.exampleHint}</p>
      </details>
    </div>
  );
}

/** The address of a channel that needs one. */
function AddressField({ way, draft, onChange }: Props & { way: Channel }) {
  const me = useMe().data;
  const { field, secret }: ChannelWords = t.channels[way];
  const { fieldType } = CHANNEL_LOOKS[way];
  if (field === undefined) return null;
  const { address } = specOf(way);
  const isOptional = address.from === 'parameter' && address.isAccountByDefault === true;
  return (
    <div className={css.wayFields}>
      <TextField
        {...field}
        type={fieldType}
        required={!isOptional}
        placeholder={isOptional ? (me?.email ?? '') : ''}
        value={draft.addresses[way] ?? ''}
        onChange={(typed) => onChange({ addresses: { ...draft.addresses, [way]: typed } })}
      />
      {secret && (
        <TextField
          {...secret}
          type="password"
          autoComplete="off"
          maxLength={200}
          value={draft.secrets?.[way] ?? ''}
          onChange={(typed) => onChange({ secrets: { ...draft.secrets, [way]: typed } })}
        />
      )}
    </div>
  );
}
