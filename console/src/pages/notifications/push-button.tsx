import { useState } from 'react';
import { PushSettings } from '../../forms/push/push-settings.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';

const words = t.notifications.push;

/** Link to the push settings of this browser. */
export function PushButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="bell" shrinks onClick={() => setOpen(true)}>
        {words.short}
      </Button>
      {isOpen && (
        <Dialog title={words.title} width="narrow" onClose={() => setOpen(false)}>
          <PushSettings />
        </Dialog>
      )}
    </>
  );
}
