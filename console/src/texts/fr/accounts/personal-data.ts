import type { Texts } from '../../translation.ts';

export const personalData: Texts['personalData'] = {
  title: 'Données',
  lead: {
    device: 'Tout ce qui concerne l’appareil en une archive, ou effacé pour toujours.',
    user: 'Tout ce qui vous concerne, avec vos appareils, en une archive, ou votre compte effacé pour toujours.',
  },
  export: 'Tout exporter',
  erase: { device: 'Effacer l’appareil', user: 'Effacer mon compte' },
  eraseTitle: (name) => `Effacer ${name} ?`,
  forGood: 'C’est irréversible, même pour un administrateur.',
  lost: {
    device: [
      'Toutes les positions, tous les trajets, arrêts et mesures',
      'Toutes les notifications, tous les déclencheurs et transferts',
      'Les messages, les réglages et la clé de l’appareil',
      'Les partages : plus personne ne voit l’appareil',
    ],
    user: [
      'Votre compte, vos sessions, jetons et clés d’accès',
      'Tous vos appareils avec positions, trajets et mesures',
      'Vos zones, groupes, règles, rapports et notifications',
      'Ce que vous avez partagé avec d’autres',
    ],
  },
  stays:
    'Le journal d’audit reste, ainsi que les sauvegardes et archives faites avant : le certificat signé que vous recevez les nomme. Exportez d’abord ce que vous voulez garder.',
  confirm: (name) => `Saisissez « ${name} » pour confirmer`,
  password: 'Votre mot de passe',
  erased: 'Effacé. Le certificat signé a été enregistré comme fichier.',
};
