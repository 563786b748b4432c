import { useState } from 'react';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { problemOf } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './data-card.module.css';
import { EraseDialog, type Erased } from './erase-dialog.tsx';
import { saveData } from './save-data.ts';

const words = t.personalData;

/** Exports or erases all data about a device or the viewer. */
export function DataCard({ of, onErased }: { of: Erased; onErased: () => void }) {
  const [isSaving, setSaving] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const save = async () => {
    setSaving(true);
    try {
      await saveData(of.kind, of.id);
    } catch (error) {
      toast({ text: problemOf(error), tone: 'danger' });
    }
    setSaving(false);
  };
  return (
    <Card title={words.title}>
      <p>{words.lead[of.kind]}</p>
      <div className={css.buttons}>
        <Button icon="download" isBusy={isSaving} onClick={() => void save()}>
          {words.export}
        </Button>
        <Button kind="danger" icon="trash" onClick={() => setErasing(true)}>
          {words.erase[of.kind]}
        </Button>
      </div>
      {isErasing && <EraseDialog of={of} onErased={onErased} onClose={() => setErasing(false)} />}
    </Card>
  );
}
