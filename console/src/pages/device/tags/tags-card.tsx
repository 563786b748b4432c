import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { type Device, useRemoveTag, useSetTag } from '../../../api/devices.ts';
import { noteDevice } from '../../../api/live/fleet.ts';
import { t } from '../../../texts/t.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields/field.tsx';
import { Card } from '../../../ui/page.tsx';
import { Notice, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { Rights } from '../rights.ts';
import { changedTags, partsOf, tagHref } from './tag.ts';
import css from './tags-card.module.css';

const words = t.deviceTags;

/** The tags of a device, each with a link to the devices that have it; adds and removes them. */
export function TagsCard({ device, rights }: { device: Device; rights: Rights }) {
  const set = useSetTag();
  const remove = useRemoveTag();
  const tags = device.tags ?? [];
  if (tags.length === 0 && !rights.mayManage) return null;

  const put = async (name: string, value: string) => {
    await set.mutateAsync({ id: device.id, name, body: { value } });
    noteDevice(device.id, { tags: changedTags(tags, name, value) });
  };
  const drop = async (tag: string) => {
    const { name, value } = partsOf(tag);
    try {
      await remove.mutateAsync({ id: device.id, name });
      noteDevice(device.id, { tags: tags.filter((one) => one !== tag) });
      const undo = () => put(name, value).catch((error) => toast({ text: problemOf(error), tone: 'danger' }));
      toast({ text: words.removed({ tag }), action: { label: words.undo, onPress: () => void undo() } });
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
  };
  return (
    <Card title={words.title}>
      {tags.length === 0 ? (
        <p className={css.soft}>{words.none}</p>
      ) : (
        <ul className={css.tags} aria-label={words.list}>
          {tags.map((tag) => (
            <li key={tag} className={css.tag}>
              <Link href={tagHref(tag)} title={words.devicesWith({ tag })}>
                {tag}
              </Link>
              {rights.mayManage && (
                <IconButton icon="close" size="small" label={words.remove({ tag })} onClick={() => void drop(tag)} />
              )}
            </li>
          ))}
        </ul>
      )}
      {rights.mayManage && <TagForm onAdd={put} isBusy={set.isPending} error={set.error} />}
    </Card>
  );
}

/** Maximum length of name and value together, without the colon. */
const MOST = 99;

function TagForm({
  onAdd,
  isBusy,
  error,
}: {
  onAdd: (name: string, value: string) => Promise<void>;
  isBusy: boolean;
  error: Error | null;
}) {
  const [draft, setDraft] = useState({ name: '', value: '' });
  const name = draft.name.trim();
  const value = draft.value.trim();
  const problem = name.includes(':')
    ? words.colonInName
    : name.length + value.length > MOST
      ? words.tooLong
      : undefined;
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (name === '' || problem) return;
    try {
      await onAdd(name, value);
      // Text that was typed meanwhile is the next tag.
      setDraft((now) => (now === draft ? { name: '', value: '' } : now));
    } catch {
      // The notice above the fields shows the error.
    }
  };
  return (
    <form className={css.form} onSubmit={(event) => void add(event)}>
      {error && <Notice tone="danger">{problemOf(error)}</Notice>}
      <div className={css.fields}>
        <TextField
          label={words.name}
          placeholder={words.namePlaceholder}
          value={draft.name}
          onChange={(next) => setDraft({ ...draft, name: next })}
          problem={problem}
          autoComplete="off"
          required
        />
        <TextField
          label={words.value}
          placeholder={words.valuePlaceholder}
          value={draft.value}
          onChange={(next) => setDraft({ ...draft, value: next })}
          autoComplete="off"
        />
      </div>
      <div className={css.foot}>
        <span className={css.soft}>{words.valueHint}</span>
        <Button type="submit" size="small" icon="plus" isBusy={isBusy} disabled={name === ''}>
          {words.add}
        </Button>
      </div>
    </form>
  );
}
