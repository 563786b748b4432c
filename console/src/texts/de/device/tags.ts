import type { Texts } from '../../translation.ts';

export const deviceTags: Texts['deviceTags'] = {
  title: 'Schlagwörter',
  none: 'Noch keine Schlagwörter. Sie gruppieren Geräte, und die Geräteliste lässt sich danach filtern.',
  list: 'Schlagwörter dieses Geräts',
  name: 'Name',
  namePlaceholder: 'depot',
  value: 'Wert',
  valuePlaceholder: 'nord',
  valueHint: 'Der Wert ist optional. Ein Schlagwort hat einen Wert: Ein neuer ersetzt ihn.',
  add: 'Hinzufügen',
  remove: (tag) => `${tag} entfernen`,
  removed: (tag) => `„${tag}“ wurde entfernt`,
  undo: 'Rückgängig',
  colonInName: 'Ein Name kann keinen Doppelpunkt enthalten. Geben Sie, was danach kommt, als Wert ein.',
  tooLong: 'Name und Wert können zusammen 99 Zeichen haben.',
  devicesWith: (tag) => `Geräte mit ${tag}`,
};
