import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { isRefusal } from '../../../api/client.ts';
import { type Rule, useCreateRule, useDeleteRule, useRule, useUpdateRule } from '../../../api/many/rules.ts';
import { PauseBadge, PauseButtons } from '../../../forms/pause-menu.tsx';
import { t } from '../../../texts/t.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { Page } from '../../../ui/page.tsx';
import { EmptyState, Loaded, problemOf } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.tsx';
import { RuleForm } from './rule-form.tsx';

const words = t.rules;
const LIST = '/notifications/rules';
const back = { href: LIST, label: words.back };

/** A new rule, or one that is there. */
export default function RulePage({ params }: { params: { id: string } }) {
  return params.id === 'new' ? <NewRule /> : <EditRule key={params.id} id={Number(params.id)} />;
}

/** Links from elsewhere say what they know: `?group=12`. */
function NewRule() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const groupId = Number(search.get('group')) || null;
  return (
    <Page title={words.newTitle} back={back} lead={words.lead}>
      <RuleForm
        start={{ appliesTo: groupId === null ? 'all' : 'group', groupId, tag: null }}
        onCancel={() => navigate(LIST)}
        onDone={() => {
          toast({ text: words.created, tone: 'good' });
          navigate(LIST);
        }}
      />
    </Page>
  );
}

function EditRule({ id }: { id: number }) {
  const [, navigate] = useLocation();
  const query = useRule(id);
  if (isRefusal(query.error) && query.error.status === 404)
    return (
      <Page title={words.editTitle} back={back}>
        <EmptyState icon="layers" title={words.gone} action={<ButtonLink href={LIST}>{words.back}</ButtonLink>} />
      </Page>
    );
  return (
    <Page
      title={words.editTitle}
      back={back}
      lead={query.data && <PauseBadge of={query.data} />}
      actions={query.data && <Actions rule={query.data} />}
    >
      <Loaded query={query} lines={8}>
        {(rule) => (
          <RuleForm
            rule={rule}
            start={rule}
            onCancel={() => navigate(LIST)}
            onDone={() => {
              toast({ text: words.saved, tone: 'good' });
              navigate(LIST);
            }}
          />
        )}
      </Loaded>
    </Page>
  );
}

function Actions({ rule }: { rule: Rule }) {
  const [, navigate] = useLocation();
  const [asks, setAsks] = useState(false);
  const update = useUpdateRule();
  const create = useCreateRule();
  const remove = useDeleteRule();
  const failed = (error: unknown) => toast({ text: problemOf(error), tone: 'danger' });
  const { id: _, userId: __, created: ___, deviceCount: ____, isSettled: _____, ...body } = rule;
  const copy = async () => {
    try {
      const copied = { ...body, name: words.copyOf(rule.name), paused: true };
      const made = await create.mutateAsync({ id: 'me', body: copied });
      navigate(`${LIST}/${made.id}`);
    } catch (error) {
      failed(error);
    }
  };
  const drop = async () => {
    try {
      await remove.mutateAsync({ id: 'me', fk: rule.id });
      navigate(LIST);
      // It is made anew: its devices get their triggers again.
      const onPress = () => create.mutate({ id: 'me', body }, { onError: failed });
      toast({ text: words.deleted(rule.name), action: { label: words.undo, onPress } });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <>
      <PauseButtons
        of={rule}
        isBusy={update.isPending}
        onChange={(body) => update.mutate({ id: 'me', fk: rule.id, body }, { onError: failed })}
      />
      <Button icon="copy" size="small" shrinks isBusy={create.isPending} onClick={() => void copy()}>
        {words.copy}
      </Button>
      <Button icon="trash" size="small" shrinks onClick={() => setAsks(true)}>
        {words.delete}
      </Button>
      {asks && (
        <ConfirmDialog
          title={words.deleteTitle(rule.name)}
          action={words.deleteAction}
          onConfirm={() => void drop()}
          onClose={() => setAsks(false)}
          isBusy={remove.isPending}
        >
          {words.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}
