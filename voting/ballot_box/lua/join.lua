-- Team assignment and balancing: the team they wish for, otherwise the smaller one.
-- KEYS: joined. It expires 30 days after the last join; then the teams count as even.
-- ARGV: one wish per voter: 1 or 2; 0 for none; -1 or -2 for a team that was offered, granted unless it is larger
--   than the other by more than a twentieth of all voters.
-- Returns the team numbers.
local joined = redis.call('HMGET', KEYS[1], '1', '2')
local size = { tonumber(joined[1] or 0), tonumber(joined[2] or 0) }
local teams = {}
for i = 1, #ARGV do
  local team = tonumber(ARGV[i])
  if team == 0 then
    team = size[1] <= size[2] and 1 or 2
  elseif team < 0 then
    local other = 3 + team
    local slack = math.floor((size[1] + size[2]) / 20)
    team = size[-team] <= size[other] + slack and -team or other
  end
  size[team] = size[team] + 1
  teams[i] = team
end
redis.call('HSET', KEYS[1], '1', size[1], '2', size[2])
redis.call('PEXPIRE', KEYS[1], 30 * 24 * 3600 * 1000)
return teams
