import type { Page } from 'playwright-core';

/** Opens whatever says that it opens something, and returns which of it something else covers. */
export const openAll = (page: Page) =>
  page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const nameOf = (element: Element | null) =>
      element
        ? `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">${(element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40)}`
        : 'nothing';
    const problems: string[] = [];
    const lookAt = (element: Element) => {
      element.scrollIntoView({ block: 'nearest' });
      const { left, top, width, height } = element.getBoundingClientRect();
      const seen = document.elementFromPoint(left + width / 2, top + height / 2);
      if (!element.contains(seen) && !seen?.closest('label')?.contains(element))
        problems.push(`${nameOf(element)} is below ${nameOf(seen)}`);
    };
    let opened = 0;
    const openers = document.querySelectorAll<HTMLButtonElement>('[aria-haspopup], [role=combobox]');
    for (const opener of openers) {
      if (!opener.isConnected || opener.disabled || !opener.checkVisibility({ visibilityProperty: true })) continue;
      lookAt(opener);
      opener.click();
      await frame();
      const popup = document.querySelector('[role=menu], [role=listbox], [role=dialog]');
      if (popup === null) {
        problems.push(`${nameOf(opener)} opens nothing`);
        continue;
      }
      opened++;
      lookAt(popup);
      for (const item of popup.querySelectorAll('[role^=menuitem], [role=option], button')) lookAt(item);
      const inside = popup.contains(document.activeElement) ? document.activeElement! : opener;
      inside.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      await frame();
      if (popup.isConnected) problems.push(`Escape does not close what ${nameOf(opener)} opens`);
    }
    return { opened, problems };
  });
