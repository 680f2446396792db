import { type PlantName, plantIntoProcess } from '../plants.ts';

// Loaded with `--import` before the product, by a harness that must catch the bug.
plantIntoProcess(process.env.PLANTED_BUG as PlantName);
