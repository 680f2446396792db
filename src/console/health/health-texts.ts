import { roomTexts } from '../room-texts.ts';

export const HEALTH_TEXTS = roomTexts(
  {
    'health.title': 'Salud',
    'health.well': 'Todo está bien.',
    'health.problems': 'Necesitan a una persona: {count}',
    'health.same': 'Lo mismo dice: {command}',
    'health.ok': 'Bien',
    'health.problem': 'Problema',
    'health.store': 'La base y el trabajo',
    'health.process': 'Proceso {host}, pid {pid}',
    'health.process_facts': 'versión {version}, desde {since}, visto hace {age}',
    'health.no_process': 'Ningún proceso dice que corre. Cada serve lo dice una vez por minuto.',
    'column.check': 'Qué se mira',
    'column.finding': 'Qué se encontró',
  },
  {
    'health.title': 'Health',
    'health.well': 'All is well.',
    'health.problems': 'Need a person: {count}',
    'health.same': 'The same says: {command}',
    'health.ok': 'OK',
    'health.problem': 'Problem',
    'health.store': 'The store and the work',
    'health.process': 'Process {host}, pid {pid}',
    'health.process_facts': 'version {version}, since {since}, seen {age} ago',
    'health.no_process': 'No process says that it runs. Each serve says so once a minute.',
    'column.check': 'What is looked at',
    'column.finding': 'What was found',
  },
);
