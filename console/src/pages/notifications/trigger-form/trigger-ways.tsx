import { CHANNEL_KINDS, type Channel, specOf } from '@trackway/contract/channels.ts';
import { useMe } from '../../../api/accounts/users.ts';
import { useServerInfo } from '../../../api/server-info.ts';
import type { TriggerDraft } from '../../../forms/trigger-draft.ts';
import type { ChannelWords } from '../../../texts/en/channels.ts';
import { t } from '../../../texts/t.ts';
import { TextField } from '../../../ui/fields/field.tsx';
import { Checkbox } from '../../../ui/fields/switch.tsx';
import css from './trigger-form.module.css';

const words = t.triggers.ways;

interface Props {
  readonly draft: TriggerDraft;
  readonly onChange: (change: Partial<TriggerDraft>) => void;
}

export function WayFields({ draft, onChange }: Props) {
  const setUp = useServerInfo().data?.channels;
  return (
    <div className={css.ways}>
      {CHANNEL_KINDS.map((way) => {
        const { name, hint }: ChannelWords = t.channels[way];
        return (
          <div key={way}>
            <Checkbox
              label={name}
              hint={setUp?.[way] === false && draft.ways[way] ? words.notSetUp : hint}
              isOn={draft.ways[way]}
              onChange={(isOn) => onChange({ ways: { ...draft.ways, [way]: isOn } })}
            />
            {draft.ways[way] && <AddressField way={way} draft={draft} onChange={onChange} />}
          </div>
        );
      })}
    </div>
  );
}

/** The address of a channel that needs one. */
function AddressField({ way, draft, onChange }: Props & { way: Channel }) {
  const me = useMe().data;
  const { field }: ChannelWords = t.channels[way];
  if (field === undefined) return null;
  const { address } = specOf(way);
  const isOptional = address.from === 'parameter' && address.isAccountByDefault === true;
  return (
    <div className={css.wayFields}>
      <TextField
        {...field}
        required={!isOptional}
        placeholder={isOptional ? (me?.email ?? '') : ''}
        value={draft.addresses[way] ?? ''}
        onChange={(typed) => onChange({ addresses: { ...draft.addresses, [way]: typed } })}
      />
    </div>
  );
}
