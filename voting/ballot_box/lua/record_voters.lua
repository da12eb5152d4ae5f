-- Record voters of an event by voter code, so that organizers can list them and only act on phones that exist.
-- KEYS: voters. It expires 30 days after the last change.
-- ARGV: gateway; most voters to record; then for each voter: code, team, voter id, 1 if connected to this gateway,
--   else 0.
-- A row is 'team gateway voter', without the gateway's name once the voter has disconnected.
-- A voter who has meanwhile connected to another gateway stays connected. Returns the number of recorded voters.
for i = 3, #ARGV, 4 do
  local code, team, voter, here = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3] == '1'
  local known = redis.call('HGET', KEYS[1], code)
  local is_elsewhere = known and not here and string.match(known, '^%d+ (%S*)') ~= ARGV[1]
  if not is_elsewhere and (known or redis.call('HLEN', KEYS[1]) < tonumber(ARGV[2])) then
    redis.call('HSET', KEYS[1], code, team .. ' ' .. (here and ARGV[1] or '') .. ' ' .. voter)
  end
end
redis.call('PEXPIRE', KEYS[1], 30 * 24 * 3600 * 1000)
return redis.call('HLEN', KEYS[1])
