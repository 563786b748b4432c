import type { Texts } from '../translation.ts';

export const welcome: Texts['welcome'] = {
  title: 'Ajouter un appareil',
  greeting: 'Bienvenue sur Trackway',
  greetingHint:
    'Vous n’avez pas encore d’appareil. Ajoutez votre téléphone, un traceur ou un appareil simulé par cette page. Cela prend environ une minute.',
  start: 'Ajouter votre premier appareil',
  nameLead: 'Tout ce qui peut transmettre sa position : un téléphone, un traceur ou un programme.',
  name: 'Nom de l’appareil',
  nameHint: 'Vous pourrez le changer plus tard.',
  namePlaceholder: 'Mon téléphone',
  add: 'Ajouter l’appareil',
  claim: {
    title: 'Reprendre un appareil par son numéro de série',
    lead: 'Pour un appareil que quelqu’un d’autre a installé et propose à son nouveau propriétaire.',
    serial: 'Numéro de série',
    serialHint: 'Il figure sur l’appareil ou sur sa boîte.',
    ask: 'Reprendre l’appareil…',
    questionTitle: (serial) => `Reprendre ${serial} ?`,
    question:
      'L’appareil devient le vôtre. L’ancien propriétaire perd l’accès ; partages, déclencheurs et transferts prennent fin. Ce qu’il a enregistré auparavant est supprimé, sauf si l’historique est laissé avec l’appareil. Cette action est définitive.',
    action: 'Reprendre l’appareil',
    refused:
      'Aucun appareil portant ce numéro de série ne peut être repris. Vérifiez le numéro. S’il est exact, demandez à l’ancien propriétaire de proposer l’appareil.',
    tooOften: (wait) => `Trop de tentatives. Réessayez dans ${wait}.`,
    done: (name) => `${name} est maintenant à vous`,
  },
  connectTitle: (name) => `Connecter ${name}`,
  keyTitle: 'Clé de l’appareil',
  keyHint:
    'L’appareil transmet avec cette clé. Elle n’est affichée que maintenant, mais vous pouvez la remplacer à tout moment.',
  key: 'Clé de l’appareil',
  lostKey:
    'La clé de cet appareil n’a été affichée qu’une fois. Créez-en une nouvelle pour continuer. La clé actuelle cesse aussitôt de fonctionner.',
  newKey: 'Créer une nouvelle clé',
  ways: 'Comment le connecter',
  phone: 'OwnTracks',
  traccar: 'Traccar',
  curl: 'curl',
  simulate: 'Simuler',
  owntracks: [
    'Installez OwnTracks sur votre téléphone (Android ou iOS).',
    'Scannez ce code avec l’appareil photo du téléphone et ouvrez le lien avec OwnTracks. Il configure l’application pour vous.',
    'Ou configurez-la à la main : dans Préférences → Connexion, choisissez le mode HTTP et saisissez cette URL :',
  ],
  traccarSteps: [
    'Installez Traccar Client sur votre téléphone (Android ou iOS).',
    'Saisissez cette adresse comme URL du serveur. Le code permet de la copier sur le téléphone.',
    'Démarrez le service dans l’application.',
  ],
  code: 'Code QR avec les réglages du téléphone',
  address: 'URL du serveur',
  curlLead: 'Envoie une position, comme le ferait un programme. Remplacez les coordonnées par les vôtres.',
  command: 'Commande',
  simulateLead:
    'Voyez Trackway à l’œuvre : cette page simule un trajet de deux minutes. Gardez-la ouverte pendant ce temps.',
  simulateStart: 'Démarrer la simulation',
  simulateStop: 'Arrêter la simulation',
  simulating: (left) => `encore ${left}`,
  simulationFailed: 'Le serveur a refusé les positions simulées. Réessayez.',
  waiting: 'En attente de la première position…',
  arrived: 'Première position reçue.',
  toMap: 'Aller à la carte',
  another: 'En ajouter un autre',
  map: 'Carte avec la position de l’appareil',
};
