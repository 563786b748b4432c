import { find, findAll, make } from './dom.js';

/** Marks the current section, closes the list of pages on a phone, and adds copy buttons to code. */
export function startNavigation() {
  followOldLinks();
  const list = find('#navigation');
  list.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') && list.matches(':popover-open')) list.hidePopover();
  });
  const showCurrent = () => list.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  list.addEventListener('toggle', showCurrent);
  showCurrent();
  markReading(list);
  for (const head of findAll('.code-head')) head.append(copyButton(head));
}

/** Links to the reference of earlier versions: `/docs#/Devices/listDevices`. */
function followOldLinks() {
  const name = /^#\/[^/]+\/(\w+)$/.exec(location.hash)?.[1];
  if (name !== undefined) location.replace(`/docs/operations/${name}`);
}

/** @param {HTMLElement} list */
function markReading(list) {
  const links = new Map(findAll('.within a', list).map((link) => [link.getAttribute('href')?.slice(1), link]));
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute('aria-current');
        links.get(target.id)?.setAttribute('aria-current', 'true');
      }
    },
    // The part of the window just below the bar.
    { rootMargin: '-15% 0px -75% 0px' },
  );
  for (const section of findAll('.operation')) seen.observe(section);
}

/** @param {HTMLElement} head */
function copyButton(head) {
  const button = make('button', { type: 'button', class: 'copy' }, 'Copy');
  button.addEventListener('click', async () => {
    const code = head.parentElement?.querySelector('pre')?.textContent ?? '';
    const isCopied = await navigator.clipboard?.writeText(code).then(
      () => true,
      () => false,
    );
    button.textContent = isCopied ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  return button;
}
