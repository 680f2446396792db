import { type PlantName, plantIntoProcess } from '../plants.ts';

// Loaded with `--import` in front of the product, by a harness that shows what it catches.
plantIntoProcess(process.env.PLANTED_BUG as PlantName);
