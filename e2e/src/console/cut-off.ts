import type { Page } from 'playwright-core';

/**
 * Texts of the page that can't be read to their end, in a line each: they reach out of the window, or out of a box that
 * hides what does not fit; or a word is broken in two. What can be scrolled to counts as readable, and so does what stands in a title as a whole.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const SLACK_PX = 1.5;
    // Not `innerWidth`: a phone zooms out until everything is inside of that.
    const windowWidth = document.documentElement.clientWidth;
    const found: string[] = [];
    const nameOf = (element: Element) =>
      `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`;
    const isSeen = (element: Element) =>
      element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) &&
      element.closest('.unseen') === null &&
      // A button that shows its picture alone.
      getComputedStyle(element).clipPath !== 'inset(50%)';

    /** By which box the text is cut, if by any. */
    const cutBy = (text: DOMRect, element: Element): string | undefined => {
      for (let box: Element | null = element; box; box = box.parentElement) {
        const { overflowX, position } = getComputedStyle(box);
        const { left, right } = box.getBoundingClientRect();
        if (overflowX === 'auto' || overflowX === 'scroll') return undefined;
        const isOut = text.left < left - SLACK_PX || text.right > right + SLACK_PX;
        if (overflowX !== 'visible' && isOut) return nameOf(box);
        if (position === 'fixed') break;
      }
      return text.left < -SLACK_PX || text.right > windowWidth + SLACK_PX ? 'the window' : undefined;
    };

    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const element = node.parentElement!;
      const text = node.textContent!.trim();
      if (text === '' || !isSeen(element) || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName)) continue;
      if (element.closest('[title]')?.getAttribute('title')?.includes(text)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      const by = box.width === 0 ? undefined : cutBy(box, element);
      if (by) found.push(`“${text.slice(0, 60)}” is cut off by ${by}`);
      for (const { 0: word, index } of node.textContent!.matchAll(/[\p{L}\p{N}]{2,18}/gu)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(`“${word}” is broken over ${lines.size} lines in ${nameOf(element)}`);
      }
    }

    const canvas = document.createElement('canvas').getContext('2d')!;
    for (const field of document.querySelectorAll<HTMLSelectElement | HTMLInputElement>('select, input')) {
      const isChoice = field instanceof HTMLSelectElement;
      const text = isChoice ? (field.selectedOptions[0]?.label ?? '') : field.value || field.placeholder;
      if (!isSeen(field) || (!isChoice && !['text', 'search', 'email', 'number'].includes(field.type))) continue;
      const style = getComputedStyle(field);
      canvas.font = style.font;
      const room = field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
      if (canvas.measureText(text).width > room + SLACK_PX)
        found.push(`“${text}” does not fit into its field ${nameOf(field)} of ${Math.round(room)} px`);
    }
    return found;
  });
