/** Well-known brands sold in many countries: sample data of ours, so users find the names they try. */
import type { Category } from '../../domain/categories.ts';
import { LARGE, LARGEST, MEDIUM } from './markets.ts';

/** Brands of one category, separated by bars, and the smallest market that sells them. */
export interface WorldwideBrands {
  readonly fromMarketSize: number;
  readonly category: Category;
  readonly names: string;
}

const EVERYWHERE = 0;

export const WORLDWIDE_BRANDS: readonly WorldwideBrands[] = [
  { fromMarketSize: EVERYWHERE, category: 'e-sim', names: 'eSIM' },
  { fromMarketSize: MEDIUM, category: 'games', names: 'Steam' },
  { fromMarketSize: MEDIUM, category: 'streaming', names: 'Netflix' },
  {
    fromMarketSize: LARGE,
    category: 'games',
    names: 'Google Play|PlayStation|Xbox|Roblox',
  },
  { fromMarketSize: LARGE, category: 'streaming', names: 'Spotify' },
  { fromMarketSize: LARGE, category: 'entertainment', names: 'Apple' },
  { fromMarketSize: LARGE, category: 'travel_flights', names: 'Uber' },
  {
    fromMarketSize: LARGEST,
    category: 'games',
    names:
      'Nintendo eShop|Razer Gold|Free Fire|PUBG Mobile|Valorant|Fortnite|Minecraft|League of Legends',
  },
  {
    fromMarketSize: LARGEST,
    category: 'streaming',
    names: 'Disney+|Twitch|Deezer|Crunchyroll',
  },
  {
    fromMarketSize: LARGEST,
    category: 'travel_flights',
    names: 'Airbnb|Hotels.com|Flightgift|Hotelgift',
  },
  { fromMarketSize: LARGEST, category: 'food', names: 'Uber Eats|Starbucks' },
  { fromMarketSize: LARGEST, category: 'apparel_clothing', names: 'Nike|adidas|Zara|H&M' },
  { fromMarketSize: LARGEST, category: 'home', names: 'IKEA' },
  { fromMarketSize: LARGEST, category: 'sports_fitness', names: 'Decathlon' },
  { fromMarketSize: LARGEST, category: 'health_beauty', names: 'Sephora' },
  { fromMarketSize: LARGEST, category: 'e-money', names: 'Virtual Prepaid Mastercard' },
  { fromMarketSize: LARGEST, category: 'charity_donations', names: 'UNICEF|Red Cross' },
  { fromMarketSize: LARGEST, category: 'other_products', names: 'NordVPN|Microsoft 365' },
];
