import type { Texts } from '../translation.ts';

export const phoneAddress: Texts['phoneAddress'] = {
  label: 'Adresse de ce serveur pour le téléphone',
  hint: 'Le téléphone doit pouvoir l’ouvrir : à la maison, il doit être sur le même réseau.',
  other: 'Autre adresse…',
  otherLabel: 'Adresse que le téléphone peut atteindre',
  otherPlaceholder: 'https://tracking.example.com',
  invalid:
    'Saisissez une adresse comme https://tracking.example.com. L’adresse propre de cette machine, comme 127.0.0.1, ne marche sur aucun téléphone.',
  localOnly:
    'Un téléphone ne peut pas encore atteindre ce serveur : il n’accepte que les connexions de cette machine. Pour votre réseau, démarrez-le avec TRACKWAY_HOST=0.0.0.0. Pour partout, placez un proxy TLS devant et définissez TRACKWAY_PUBLIC_URL.',
  unknown:
    'Ce serveur ne connaît pas d’adresse qu’un téléphone puisse atteindre. Définissez TRACKWAY_PUBLIC_URL, ou saisissez l’adresse de cette machine dans votre réseau.',
  first:
    'Un téléphone ne peut pas encore atteindre ce serveur : il n’accepte que les connexions de cette machine. Pour en connecter un, démarrez-le d’abord avec TRACKWAY_HOST=0.0.0.0, ou définissez TRACKWAY_PUBLIC_URL derrière un proxy TLS. Un appareil simulé marche déjà.',
  keeps: 'La clé reste ici tant que cette page est ouverte : redémarrez le serveur, puis vérifiez à nouveau.',
  check: 'Vérifier à nouveau',
};
